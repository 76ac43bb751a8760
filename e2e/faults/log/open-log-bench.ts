import { join } from 'node:path';
import type { SystemFile } from '@witan/stack';
import { recomputeLog } from '@witan/testing';
import type { TestWitness } from '@witan/testing';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { openWitnesses } from '../../open-witnesses.ts';
import { createEventEnvironment } from '../config.ts';
import type { FaultSystem } from '../open-running-system.ts';
import { query } from '../query.ts';
import type { Lab } from '../run-part.ts';
import { until } from '../until.ts';
import { findLogViolations } from './find-log-violations.ts';

const ORIGIN = 'log.witan.test/faults';
const ISSUER = 'witan';
const SETTLED_LIMIT_MS = 90_000;
/** Each is repeated only if a call that a kill interrupted is certified meanwhile. */
const CHECKS_MAX = 5;

export type LogBench = {
  system: FaultSystem & SystemFile;
  witnesses: readonly TestWitness[];
  publishedSize: () => Promise<number>;
  /**
   * Recomputes the whole log from its certificates and returns what differs. Calls that a kill
   * interrupted are certified as lost up to a minute later; the check begins again when one was.
   */
  check: () => Promise<Checked>;
};

/** Starts a system whose log has three witnesses, of which two must cosign, and an anchor file. */
export const openLogBench = async ({ home, resources, openSystem }: Lab): Promise<LogBench> => {
  const folder = join(home, 'witnesses');
  const { witnesses, policy, env } = resources.use(await openWitnesses(folder, ORIGIN));
  const system = await openSystem({ ...createEventEnvironment(), ...env });
  return {
    system,
    witnesses,
    publishedSize: async () => (await readState(system)).published,
    check: () => checkSettled(system, () => check(system, witnesses, policy)),
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

/** Resolves when every certificate is in a published epoch; rejects if that takes too long. */
const untilPublished = async (system: FaultSystem): Promise<void> => {
  const isPublished = await until(SETTLED_LIMIT_MS, async () => {
    const state = await readState(system).catch(() => undefined);
    return state?.certificates === state?.leaves && state?.epochs === state?.published && !!state;
  });
  if (!isPublished) throw new Error('The log was not published completely in time.');
};

type Checked = { figures: object; violations: string[] };

const checkSettled = async (system: FaultSystem, run: () => Promise<Checked>): Promise<Checked> => {
  for (let checks = 1; ; checks += 1) {
    await untilPublished(system);
    const before = await readState(system);
    const checked = await run();
    const after = await readState(system);
    if (after.certificates === before.certificates || checks === CHECKS_MAX) return checked;
  }
};

const check = async (
  system: FaultSystem,
  witnesses: readonly TestWitness[],
  policy: string,
): Promise<Checked> => {
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
