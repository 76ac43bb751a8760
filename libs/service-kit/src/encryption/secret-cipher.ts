import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EnvReader } from '../config/read-env.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

export type SecretCipher = {
  /**
   * Encrypts a secret with the first key. `context` names the table and row of the secret;
   * decryption needs the same context.
   */
  encrypt: (secret: string, context: string) => string;
  decrypt: (encrypted: string, context: string) => string;
  /**
   * Encrypts a secret again with the first key. Returns undefined if it already is encrypted with
   * the first key. Throws if no key decrypts it.
   */
  reencrypt: (encrypted: string, context: string) => string | undefined;
  hasOtherKeys: boolean;
};

/**
 * Creates an AES-256-GCM cipher. Each secret gets a new 96-bit nonce, and the context is the
 * additional authenticated data. The format is `v1.` and base64url of nonce, tag and ciphertext.
 * `secretsKey` has one or several keys of 32 bytes in base64, separated by commas; the first one
 * encrypts, all of them decrypt.
 */
export const createSecretCipher = (secretsKey: string): SecretCipher => {
  const keys = splitSecretsKeys(secretsKey);
  const encrypt: SecretCipher['encrypt'] = (secret, context) => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, keys[0], nonce).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const encrypted = Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    return `${VERSION}.${encrypted.toString('base64url')}`;
  };
  const decrypt = (encrypted: string, context: string): { secret: string; index: number } => {
    const bytes = toBytes(encrypted);
    let failure: unknown;
    for (const [index, key] of keys.entries()) {
      try {
        return { secret: decryptBytes(bytes, key, context), index };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  return {
    encrypt,
    hasOtherKeys: keys.length > 1,
    decrypt: (encrypted, context) => decrypt(encrypted, context).secret,
    reencrypt: (encrypted, context) => {
      const { secret, index } = decrypt(encrypted, context);
      return index === 0 ? undefined : encrypt(secret, context);
    },
  };
};

const toBytes = (encrypted: string): Buffer => {
  const [version, ciphertext] = encrypted.split('.');
  const bytes = Buffer.from(ciphertext ?? '', 'base64url');
  if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) {
    throw new Error('The format of the encrypted text is not supported.');
  }
  return bytes;
};

const decryptBytes = (bytes: Buffer, key: Buffer, context: string): string => {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const secret = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([secret, decipher.final()]).toString('utf8');
};

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
