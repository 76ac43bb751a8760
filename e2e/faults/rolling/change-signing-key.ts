import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** The two steps in which a signing key is changed (apps/ledger/README.md), before restarts. */
export type SigningKeyChange = {
  putBehind: () => Promise<void>;
  putInFront: () => Promise<void>;
};

/** Writes a new key to the file that all ledgers read their keys from. */
export const changeSigningKey = async (file: string): Promise<SigningKeyChange> => {
  const old = await readFile(file, 'utf8');
  const { privateKey } = generateKeyPairSync('ed25519');
  const next = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    putBehind: () => writeFile(file, old + next),
    putInFront: () => writeFile(file, next + old),
  };
};
