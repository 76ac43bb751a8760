import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNoteKey, formatNoteKey } from '@witan/proof/tlog/note';
import type { SystemFile } from '@witan/stack';
import { createWitness, recomputeLog, serveWitness } from '@witan/testing';
import type { TestWitness } from '@witan/testing';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { createEventEnvironment } from '../config.ts';
import type { FaultSystem } from '../open-running-system.ts';
import { query } from '../query.ts';
import type { Lab } from '../run-part.ts';
import { until } from '../until.ts';
import { findLogViolations } from './find-log-violations.ts';

const ORIGIN = 'log.witan.test/faults';
const ISSUER = 'witan';
/** An epoch every 200 ms, so that most strikes meet one. */
const INTERVAL_MS = 200;
const SETTLED_LIMIT_MS = 90_000;

export type LogBench = {
  system: FaultSystem & SystemFile;
  witnesses: readonly TestWitness[];
  publishedSize: () => Promise<number>;
  /** Resolves when every certificate is in a published epoch; rejects if that takes too long. */
  untilPublished: () => Promise<void>;
  /** Recomputes the whole log from its certificates and returns what differs. */
  check: () => Promise<{ figures: object; violations: string[] }>;
};

/** Starts a system whose log has three witnesses, of which two must cosign, and an anchor file. */
export const openLogBench = async ({ home, resources, openSystem }: Lab): Promise<LogBench> => {
  const folder = join(home, 'witnesses');
  await mkdir(folder, { recursive: true });
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const vkey = formatNoteKey(createNoteKey({ name: ORIGIN, type: 1, key: new Uint8Array(raw) }));
  const witnesses = ['a', 'b', 'c'].map((name) =>
    createWitness({ name: `${name}.witness.test`, logs: () => [vkey] }),
  );
  const lines = [`log ${vkey}`];
  for (const [i, witness] of witnesses.entries()) {
    const server = await serveWitness(witness);
    resources.defer(() => server[Symbol.asyncDispose]());
    lines.push(`witness w${i} ${witness.vkey} ${server.url}`);
  }
  const policy = [...lines, 'group two 2 w0 w1 w2', 'quorum two', ''].join('\n');
  const [keyFile, policyFile] = [join(folder, 'log.pem'), join(folder, 'policy.txt')];
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(policyFile, policy);
  const system = await openSystem({
    ...createEventEnvironment(),
    WITAN_LOG_ORIGIN: ORIGIN,
    WITAN_LOG_KEY_FILE: keyFile,
    WITAN_LOG_POLICY_FILE: policyFile,
    WITAN_LOG_ANCHOR_FILE: join(folder, 'anchor'),
    WITAN_LOG_INTERVAL_MS: String(INTERVAL_MS),
  });
  return {
    system,
    witnesses,
    publishedSize: async () => (await readState(system)).published,
    untilPublished: () => untilPublished(system),
    check: () => check(system, witnesses, policy),
  };
};

const STATE = `
  SELECT (SELECT coalesce(sum(chain_index + 1), 0) FROM ledger.chain_head)::int AS certificates,
    (SELECT coalesce(sum(size), 0) FROM ledger.tree)::int AS leaves,
    (SELECT count(*) FROM ledger.epoch)::int AS epochs,
    coalesce((SELECT size FROM ledger.published), 0)::int AS published`;

type State = { certificates: number; leaves: number; epochs: number; published: number };

const readState = async (system: FaultSystem): Promise<State> => {
  const { databaseUrl } = await system.readFile();
  return (await query<State>(databaseUrl, STATE))[0]!;
};

const untilPublished = async (system: FaultSystem): Promise<void> => {
  const isPublished = await until(SETTLED_LIMIT_MS, async () => {
    const state = await readState(system).catch(() => undefined);
    return state?.certificates === state?.leaves && state?.epochs === state?.published && !!state;
  });
  if (!isPublished) throw new Error('The log was not published completely in time.');
};

const check = async (
  system: FaultSystem,
  witnesses: readonly TestWitness[],
  policy: string,
): Promise<{ figures: object; violations: string[] }> => {
  const { databaseUrl } = await system.readFile();
  const { epochs, leaves, violations } = await withClient(databaseUrl, (client) =>
    recomputeLog(client, { issuer: ISSUER, origin: ORIGIN }),
  );
  const roots = await query<{ root: Buffer }>(
    databaseUrl,
    'SELECT root FROM ledger.epoch ORDER BY n',
  );
  const checkpoints = await query<{ size: string; note: string }>(
    databaseUrl,
    'SELECT size, note FROM ledger.checkpoint ORDER BY size',
  );
  const { certificates } = await readState(system);
  const found = findLogViolations({
    policy,
    certificates,
    leaves,
    roots: roots.map(({ root }) => root.toString('base64')),
    checkpoints: checkpoints.map(({ size, note }) => ({ size: Number(size), note })),
    seen: witnesses.flatMap((witness) => {
      const seen = witness.seen();
      const root = Buffer.from(seen?.root ?? []).toString('base64');
      return seen ? [{ name: witness.name, size: seen.size, root }] : [];
    }),
  });
  return {
    figures: { certificates, epochs, published: checkpoints.length },
    violations: [...violations, ...found],
  };
};
