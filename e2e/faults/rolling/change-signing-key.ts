import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Certificate } from '@witan/proof';

/** The two steps of a key rotation (apps/ledger/README.md), each of which precedes restarts. */
export type SigningKeyChange = {
  putBehind: () => Promise<void>;
  putInFront: () => Promise<void>;
};

/** Starts a rotation by adding a new key to the file that all ledgers read. */
export const changeSigningKey = async (file: string): Promise<SigningKeyChange> => {
  const old = await readFile(file, 'utf8');
  const { privateKey } = generateKeyPairSync('ed25519');
  const next = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    putBehind: () => writeFile(file, old + next),
    putInFront: () => writeFile(file, next + old),
  };
};

export type SeenKeyChange = {
  /** Number of certificates of the old and of the new key, by validity window. */
  certificates: number[];
  /** Number of ledgers that adopted the new key without a restart. */
  takenUp: number;
};

/** Evaluates certificates, keys (newest first) and logs of the ledgers. */
export const readKeyChange = async (
  certificates: readonly Certificate[],
  keys: readonly { notBefore: string }[],
  logFiles: readonly string[],
): Promise<SeenKeyChange> => {
  const isChanged = keys.length > 1;
  const isNew = ({ payload }: Certificate): boolean =>
    isChanged && payload.issuedAt >= keys[0]!.notBefore;
  const ofNew = certificates.filter(isNew).length;
  const logs = await Promise.all(logFiles.map((file) => readFile(file, 'utf8')));
  return {
    certificates: [certificates.length - ofNew, ofNew],
    takenUp: logs.filter((text) => text.includes('"change":"taken up"')).length,
  };
};
