import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'sk_live_';
const ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = new RegExp(
  `^${PREFIX}([0-9A-Za-z]{${ID_LENGTH}})([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

type KeyParts = { keyId: string; secret: string };

/**
 * Generates an API key: `text` is returned to the client once; of its secret, only the hash is
 * stored.
 */
export const generateApiKey = (): { text: string; keyId: string; secretHash: Buffer } => {
  const keyId = randomText(ID_LENGTH);
  const secret = randomText(SECRET_LENGTH);
  const body = `${PREFIX}${keyId}${secret}`;
  return { text: body + checksum(body), keyId, secretHash: hashSecret(secret) };
};

/**
 * Returns the parts of an API key, or undefined if its form or checksum is wrong, so that a
 * mistyped key causes no database read.
 */
export const parseApiKey = (text: string): KeyParts | undefined => {
  const [, keyId, secret, sum] = KEY_PATTERN.exec(text) ?? [];
  if (!keyId || !secret || !sum) return undefined;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === sum ? { keyId, secret } : undefined;
};

/**
 * Returns the SHA-256 of an API key's secret. No slow password hash is needed, because 190 random
 * bits cannot be guessed.
 */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export const isSecretOf = (secret: string, secretHash: Uint8Array): boolean =>
  timingSafeEqual(hashSecret(secret), secretHash);

const checksum = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
};

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
