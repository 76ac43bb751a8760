import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { splitSecretsKeys } from './secrets-keys.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** Keeps secrets unreadable at rest. */
export type Sealer = {
  /** `context` names where the secret belongs (table, row); it must be given again to open. */
  seal: (secret: string, context: string) => string;
  /** Throws when the text was changed, sealed for another context, or with none of the keys. */
  open: (sealed: string, context: string) => string;
  /** The same secret under the first key; undefined: it is. Throws as `open` does. */
  reseal: (sealed: string, context: string) => string | undefined;
  /** What was sealed may be sealed with another key than the first. */
  hasOtherKeys: boolean;
};

/**
 * AES-256-GCM with a fresh 96-bit nonce a secret and the context as additional data. Sealed form:
 * `v1.` + base64url of nonce, tag and ciphertext. `secretsKey` holds one key or several, each 32
 * bytes in base64, with commas between: the first one seals, all of them open.
 */
export const createSealer = (secretsKey: string): Sealer => {
  const keys = splitSecretsKeys(secretsKey);
  const seal: Sealer['seal'] = (secret, context) => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, keys[0], nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
    return `${VERSION}.${sealed.toString('base64url')}`;
  };
  const open = (sealed: string, context: string): { secret: string; place: number } => {
    const bytes = toBytes(sealed);
    let failure: unknown;
    for (const [place, key] of keys.entries()) {
      try {
        return { secret: decipher(bytes, key, context), place };
      } catch (error) {
        // Whoever has no key for it is told what the last one said.
        failure = error;
      }
    }
    throw failure;
  };
  return {
    seal,
    hasOtherKeys: keys.length > 1,
    open: (sealed, context) => open(sealed, context).secret,
    reseal: (sealed, context) => {
      const { secret, place } = open(sealed, context);
      return place === 0 ? undefined : seal(secret, context);
    },
  };
};

const toBytes = (sealed: string): Buffer => {
  const [version, body] = sealed.split('.');
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
