import type { EnvReader } from '../config/read-env.ts';

const KEY_BYTES = 32;

/**
 * Reads `WITAN_SECRETS_KEY`: one key or several, with commas between. The first one seals; the
 * others open what was sealed before it came (docs/threat-model.md says how it is changed).
 */
export const readSecretsKey = (read: EnvReader): string => {
  const keys = read.list('WITAN_SECRETS_KEY');
  // Says that it is missing, if it is.
  if (keys.length === 0) return read.text('WITAN_SECRETS_KEY');
  if (!keys.every(isKey)) {
    const many = 'or several of them with commas between';
    read.fault(`WITAN_SECRETS_KEY must be ${KEY_BYTES} bytes in base64, ${many}`);
  }
  return keys.join(',');
};

const isKey = (key: string): boolean => Buffer.from(key, 'base64').length === KEY_BYTES;

/** The keys, that which seals first. Throws when one is none. */
export const splitSecretsKeys = (secretsKey: string): readonly [Buffer, ...Buffer[]] => {
  const [first, ...others] = secretsKey.split(',').map((key) => {
    if (!isKey(key)) throw new Error(`The sealing key must be ${KEY_BYTES} bytes in base64.`);
    return Buffer.from(key, 'base64');
  });
  return [first!, ...others];
};
