import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Certificate } from '@witan/proof';

/**
 * The two steps of a key rotation without downtime (apps/ledger/README.md). All ledger processes
 * must be restarted after each step.
 */
export type SigningKeyChange = {
  appendNewKey: () => Promise<void>;
  prependNewKey: () => Promise<void>;
};

/**
 * Creates a new key. The returned steps add it to `file`, which all ledgers read: first after the
 * old key, then before the old key.
 */
export const changeSigningKey = async (file: string): Promise<SigningKeyChange> => {
  const old = await readFile(file, 'utf8');
  const { privateKey } = generateKeyPairSync('ed25519');
  const next = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    appendNewKey: () => writeFile(file, old + next),
    prependNewKey: () => writeFile(file, next + old),
  };
};

export type KeyChangeEvidence = {
  /**
   * Number of certificates that the old key signed, and number that the new key signed, by time of
   * issue.
   */
  certificates: number[];
  /**
   * Number of ledger processes that switched to the new key without a restart, according to their
   * logs.
   */
  switchedWithoutRestart: number;
};

/**
 * Returns how certificates and ledger logs reflect the rotation. `keys` are the published signing
 * keys, newest first.
 */
export const readKeyChange = async (
  certificates: readonly Certificate[],
  keys: readonly { notBefore: string }[],
  logFiles: readonly string[],
): Promise<KeyChangeEvidence> => {
  const isChanged = keys.length > 1;
  const isNew = ({ payload }: Certificate): boolean =>
    isChanged && payload.issuedAt >= keys[0]!.notBefore;
  const newKeyCount = certificates.filter(isNew).length;
  const logs = await Promise.all(logFiles.map((file) => readFile(file, 'utf8')));
  return {
    certificates: [certificates.length - newKeyCount, newKeyCount],
    switchedWithoutRestart: logs.filter((text) => text.includes('"change":"switched"')).length,
  };
};
