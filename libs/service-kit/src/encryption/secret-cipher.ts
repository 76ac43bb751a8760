import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { splitSecretsKeys } from './secrets-keys.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** Keeps secrets unreadable at rest. */
export type SecretCipher = {
  /** `context` names where the secret belongs (table, row); it must be given again to open. */
  encrypt: (secret: string, context: string) => string;
  /** Throws when the text was changed, sealed for another context, or with none of the keys. */
  decrypt: (encrypted: string, context: string) => string;
  /** The same secret under the first key; undefined: it is. Throws as `open` does. */
  reencrypt: (encrypted: string, context: string) => string | undefined;
  /** What was sealed may be sealed with another key than the first. */
  hasOtherKeys: boolean;
};

/**
 * AES-256-GCM with a fresh 96-bit nonce a secret and the context as additional data. Sealed form:
 * `v1.` + base64url of nonce, tag and ciphertext. `secretsKey` holds one key or several, each 32
 * bytes in base64, with commas between: the first one seals, all of them open.
 */
export const createSecretCipher = (secretsKey: string): SecretCipher => {
  const keys = splitSecretsKeys(secretsKey);
  const encrypt: SecretCipher['encrypt'] = (secret, context) => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, keys[0], nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const encrypted = Buffer.concat([nonce, cipher.getAuthTag(), body]);
    return `${VERSION}.${encrypted.toString('base64url')}`;
  };
  const decrypt = (encrypted: string, context: string): { secret: string; index: number } => {
    const bytes = toBytes(encrypted);
    let failure: unknown;
    for (const [index, key] of keys.entries()) {
      try {
        return { secret: decipher(bytes, key, context), index };
      } catch (error) {
        // Whoever has no key for it is told what the last one said.
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
  const [version, body] = encrypted.split('.');
  const bytes = Buffer.from(body ?? '', 'base64url');
  if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) {
    throw new Error('The sealed text is not of a form that this release can open.');
  }
  return bytes;
};

const decipher = (bytes: Buffer, key: Buffer, context: string): string => {
  const opened = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const secret = opened.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([secret, opened.final()]).toString('utf8');
};
