import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** Keeps secrets unreadable at rest. */
export type Sealer = {
  /** `context` names where the secret belongs (table, row); it must be given again to open. */
  seal: (secret: string, context: string) => string;
  /** Throws when the text was changed, sealed for another context, or with another key. */
  open: (sealed: string, context: string) => string;
};

/**
 * AES-256-GCM with a fresh 96-bit nonce a secret and the context as additional data. Sealed form:
 * `v1.` + base64url of nonce, tag and ciphertext. `key` is 32 bytes in base64.
 */
export const createSealer = (key: string): Sealer => {
  const secretKey = Buffer.from(key, 'base64');
  if (secretKey.length !== KEY_BYTES) {
    throw new Error(`The sealing key must be ${KEY_BYTES} bytes in base64.`);
  }
  return {
    seal: (secret, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, secretKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
      return `${VERSION}.${sealed.toString('base64url')}`;
    },
    open: (sealed, context) => {
      const [version, body] = sealed.split('.');
      const bytes = Buffer.from(body ?? '', 'base64url');
      if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new Error('The sealed text is not of a form that this release can open.');
      }
      const decipher = createDecipheriv(ALGORITHM, secretKey, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const secret = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([secret, decipher.final()]).toString('utf8');
    },
  };
};
