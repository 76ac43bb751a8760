import { createPrivateKey, createPublicKey } from 'node:crypto';
import { parseSigners } from '@witan/ledger/signer';
import { splitSecretsKeys } from '@witan/service-kit';
import { describeError, fail, ok, skipped, warn } from './check.ts';
import type { Check } from './check.ts';

/** Content of a file, or the error of reading it. */
export type FileText = { file: string; text: string } | { file: string; error: unknown };

/** Judges `WITAN_SECRETS_KEY`, or the file of the home that has its value. */
export const judgeSecretsKey = (key: FileText | undefined): Check => {
  const name = 'secrets key';
  if (key === undefined) return skipped(name, 'WITAN_SECRETS_KEY is not set');
  if ('error' in key) return unreadable(name, key);
  try {
    const keys = splitSecretsKeys(key.text);
    return ok(name, keys.length === 1 ? '32 bytes' : `${keys.length} keys of 32 bytes`);
  } catch (error) {
    const advice =
      'Restore the key from your backup: no other key decrypts stored secrets. ' +
      'For a new installation: `openssl rand -base64 32`.';
    return fail(name, { message: `${key.file}: ${describeError(error)}`, advice });
  }
};

/**
 * Judges the file of signing keys. `published` has the public keys of `/v1/gateway/public-key` in
 * PEM; undefined if no API responds.
 */
export const judgeSigningKey = (
  key: FileText | undefined,
  published: readonly string[] | undefined,
): Check => {
  const name = 'signing key';
  if (key === undefined) return skipped(name, 'WITAN_SIGNING_KEY_FILE is not set');
  if ('error' in key) return unreadable(name, key);
  let signers: ReturnType<typeof parseSigners>;
  try {
    signers = parseSigners(key.text);
  } catch (error) {
    const advice = 'Restore the file from your backup; see "Keys" in apps/ledger/README.md.';
    return fail(name, { message: `${key.file}: ${describeError(error)}`, advice });
  }
  const keyIds = signers.map(({ keyId }) => keyId).join(', ');
  if (published === undefined) {
    return ok(name, `Ed25519, ${keyIds}; no API to compare it with`);
  }
  const isPublished = signers.some(({ publicKey }) => published.some(isSameKey(publicKey)));
  if (isPublished) return ok(name, `Ed25519, ${keyIds}, published`);
  return fail(name, {
    message: `${key.file} has ${keyIds}, which the API does not publish.`,
    advice: 'Use the key file of this ledger, or restart the ledger to rotate to this key.',
  });
};

const isSameKey =
  (pem: string) =>
  (other: string): boolean =>
    pem.trim() === other.trim();

/** Judges that each service's key is the private key of its entry in the file of public keys. */
export const judgeServiceKeys = (
  keys: readonly (FileText & { service: string })[],
  publicKeys: FileText | undefined,
): Check => {
  const name = 'service keys';
  if (keys.length === 0 || publicKeys === undefined) {
    return skipped(name, 'WITAN_SERVICE_KEY_FILE or WITAN_SERVICE_PUBLIC_KEYS is not set');
  }
  if ('error' in publicKeys) return unreadable(name, publicKeys);
  const errors = keys.flatMap((key) => findKeyErrors(key, publicKeys.text));
  if (errors.length === 0) {
    return ok(name, `${keys.map(({ service }) => service).join(', ')} match their public keys`);
  }
  return fail(name, {
    message: errors.join('; '),
    advice:
      'Every process needs the same public keys: `witan secrets create FOLDER` writes matching ' +
      'files, and `npm start` rewrites those of its home.',
  });
};

const findKeyErrors = (key: FileText & { service: string }, publicKeys: string): string[] => {
  const { service, file } = key;
  if ('error' in key) return [`${file}: ${describeError(key.error)}`];
  try {
    const { [service]: listed } = JSON.parse(publicKeys) as Record<string, string>;
    if (listed === undefined) return [`${service} has no public key`];
    const own = createPublicKey(createPrivateKey(key.text));
    if (own.equals(createPublicKey(listed))) return [];
    return [`${file} is not the key of ${service}`];
  } catch (error) {
    return [`${file} or its public key cannot be parsed: ${describeError(error)}`];
  }
};

const unreadable = (name: string, { file, error }: { file: string; error: unknown }): Check =>
  fail(name, {
    message: `${file} cannot be read: ${describeError(error)}.`,
    advice: 'Correct the path, or give the user of the process the right to read it.',
  });

const GROUP_AND_OTHERS = 0o077;
const OTHERS = 0o007;

export type FileMode = { file: string; mode: number };

/**
 * Judges who may read files with secrets. A group may where the files are `mounted`, because
 * Kubernetes grants access by group.
 */
export const judgeModes = (
  files: readonly FileMode[],
  { mounted }: { mounted: boolean },
): Check => {
  const name = 'file modes';
  if (files.length === 0) return skipped(name, 'no file with a secret is configured');
  const open = files.filter(({ mode }) => mode & (mounted ? OTHERS : GROUP_AND_OTHERS));
  if (open.length === 0) return ok(name, `${files.length} files with secrets are private`);
  const list = open.map(({ file, mode }) => `${file} (${(mode & 0o777).toString(8)})`);
  return warn(name, {
    message: `Other users may access ${list.join(', ')}.`,
    advice: `chmod go= ${open.map(({ file }) => file).join(' ')}`,
  });
};
