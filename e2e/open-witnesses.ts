import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNoteKey, formatNoteKey } from '@witan/proof/tlog/note';
import { createWitness, serveWitness } from '@witan/testing';
import type { TestWitness } from '@witan/testing';

export type Witnesses = AsyncDisposable & {
  witnesses: readonly TestWitness[];
  /** The policy with these witnesses, of which two must cosign. */
  policy: string;
  /** Variables of a system whose log they witness. */
  env: Readonly<Record<string, string>>;
};

/** An epoch every 200 ms, so that tests wait for little, and most faults meet one. */
const INTERVAL_MS = 200;

/** Starts three witnesses of a log on loopback; writes its key, policy and anchor to the folder. */
export const openWitnesses = async (folder: string, origin: string): Promise<Witnesses> => {
  await mkdir(folder, { recursive: true });
  await using resources = new AsyncDisposableStack();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const vkey = formatNoteKey(createNoteKey({ name: origin, type: 1, key: new Uint8Array(raw) }));
  const witnesses = ['a', 'b', 'c'].map((name) =>
    createWitness({ name: `${name}.witness.test`, logs: () => [vkey] }),
  );
  const lines = [`log ${vkey}`];
  for (const [i, witness] of witnesses.entries()) {
    const { url } = resources.use(await serveWitness(witness));
    lines.push(`witness w${i} ${witness.vkey} ${url}`);
  }
  const policy = [...lines, 'group two 2 w0 w1 w2', 'quorum two', ''].join('\n');
  const [keyFile, policyFile] = [join(folder, 'log.pem'), join(folder, 'policy.txt')];
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(policyFile, policy);
  const opened = resources.move();
  return {
    witnesses,
    policy,
    env: {
      WITAN_LOG_ORIGIN: origin,
      WITAN_LOG_KEY_FILE: keyFile,
      WITAN_LOG_POLICY_FILE: policyFile,
      WITAN_LOG_ANCHOR_FILE: join(folder, 'anchor'),
      WITAN_LOG_INTERVAL_MS: String(INTERVAL_MS),
      WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
};
