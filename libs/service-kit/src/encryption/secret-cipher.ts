import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EnvReader } from '../config/read-env.ts';
import { yieldAfter } from '../schedule/yield-after.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';
/**
 * Size of the steps in which long texts are processed. It is a multiple of 3, so that the base64url
 * texts of the steps can be joined.
 */
const STEP_BYTES = 3 * 256 * 1024;
/** Length of the base64url text of a step. */
const STEP_LENGTH = (STEP_BYTES / 3) * 4;

export type SecretCipher = {
  /**
   * Encrypts a secret with the first key. `context` names the table and row of the secret;
   * decryption needs the same context.
   */
  encrypt: (secret: string, context: string) => string;
  decrypt: (encrypted: string, context: string) => string;
  /** Like `encrypt` and `decrypt`, but other work runs between the steps of a text of megabytes. */
  encryptInSteps: (secret: string, context: string) => Promise<string>;
  decryptInSteps: (encrypted: string, context: string) => Promise<string>;
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
  const encryptInSteps: SecretCipher['encryptInSteps'] = async (secret, context) => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, keys[0], nonce).setAAD(Buffer.from(context));
    const steps = await mapSteps(Buffer.from(secret), (step) => cipher.update(step));
    cipher.final();
    const encrypted = Buffer.concat([nonce, cipher.getAuthTag(), ...steps]);
    const texts = await mapSteps(encrypted, (step) => step.toString('base64url'));
    return `${VERSION}.${texts.join('')}`;
  };
  const decryptInSteps: SecretCipher['decryptInSteps'] = async (encrypted, context) => {
    const bytes = await toBytesInSteps(encrypted);
    let failure: unknown;
    for (const key of keys) {
      try {
        const decipher = createDecipher(bytes, key, context);
        const steps = await mapSteps(ciphertextOf(bytes), (step) => decipher.update(step));
        decipher.final();
        return Buffer.concat(steps).toString('utf8');
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
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
    encryptInSteps,
    decryptInSteps,
    hasOtherKeys: keys.length > 1,
    decrypt: (encrypted, context) => decrypt(encrypted, context).secret,
    reencrypt: (encrypted, context) => {
      const { secret, index } = decrypt(encrypted, context);
      return index === 0 ? undefined : encrypt(secret, context);
    },
  };
};

const toBytes = (encrypted: string): Buffer => {
  const [version, text = ''] = encrypted.split('.');
  return checkBytes(version, Buffer.from(text, 'base64url'));
};

const toBytesInSteps = async (encrypted: string): Promise<Buffer> => {
  const [version, text = ''] = encrypted.split('.');
  const steps: Buffer[] = [];
  for (let start = 0; start < text.length; start += STEP_LENGTH) {
    if (start > 0) await yieldAfter(STEP_BYTES);
    steps.push(Buffer.from(text.slice(start, start + STEP_LENGTH), 'base64url'));
  }
  return checkBytes(version, Buffer.concat(steps));
};

const checkBytes = (version: string | undefined, bytes: Buffer): Buffer => {
  if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) {
    throw new Error('The format of the encrypted text is not supported.');
  }
  return bytes;
};

const decryptBytes = (bytes: Buffer, key: Buffer, context: string): string => {
  const decipher = createDecipher(bytes, key, context);
  const secret = decipher.update(ciphertextOf(bytes));
  return Buffer.concat([secret, decipher.final()]).toString('utf8');
};

const createDecipher = (bytes: Buffer, key: Buffer, context: string) =>
  createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));

const ciphertextOf = (bytes: Buffer): Buffer => bytes.subarray(NONCE_BYTES + TAG_BYTES);

/** Applies `run` to pieces of STEP_BYTES one after another; other work runs between them. */
const mapSteps = async <T>(bytes: Buffer, run: (step: Buffer) => T): Promise<T[]> => {
  const results: T[] = [];
  for (let start = 0; start < bytes.length; start += STEP_BYTES) {
    if (start > 0) await yieldAfter(STEP_BYTES);
    results.push(run(bytes.subarray(start, start + STEP_BYTES)));
  }
  return results;
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
