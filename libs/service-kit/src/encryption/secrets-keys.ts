import type { EnvReader } from '../config/read-env.ts';

const KEY_BYTES = 32;

/**
 * Reads `WITAN_SECRETS_KEY`: one or several keys, separated by commas. The first one encrypts; the
 * others decrypt older secrets (rotation: docs/threat-model.md).
 */
export const readSecretsKey = (read: EnvReader): string => {
  const keys = read.list('WITAN_SECRETS_KEY');
  if (keys.length === 0) return read.text('WITAN_SECRETS_KEY');
  if (!keys.every(isKey)) {
    const alternative = 'or several of them with commas between';
    read.addError(`WITAN_SECRETS_KEY must be ${KEY_BYTES} bytes in base64, ${alternative}`);
  }
  return keys.join(',');
};

const isKey = (key: string): boolean => Buffer.from(key, 'base64').length === KEY_BYTES;

/** Parses the keys, of which the first one encrypts. Throws if a key is invalid. */
export const splitSecretsKeys = (secretsKey: string): readonly [Buffer, ...Buffer[]] => {
  const [first, ...others] = secretsKey.split(',').map((key) => {
    if (!isKey(key)) throw new Error(`The secrets key must be ${KEY_BYTES} bytes in base64.`);
    return Buffer.from(key, 'base64');
  });
  return [first!, ...others];
};
