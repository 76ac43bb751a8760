import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 22;
/** Number of digits that one pass of divisions yields, so that every step stays below 2^53. */
const PASS_DIGITS = 5;
const PASS_BASE = 62 ** PASS_DIGITS;
/** Number of random bytes drawn at once, which saves a system call per id. */
const POOL_BYTES = 4_096;
const ID_BYTES = 16;

/**
 * Maximum of the 12-bit counter that orders the ids of one millisecond (RFC 9562, 6.2, method 1).
 */
const COUNTER_MAX = 0xfff;

const pool = Buffer.alloc(POOL_BYTES);
let usedBytes = POOL_BYTES;
let lastMs = 0;
let counter = 0;

/**
 * Returns the prefix, an underscore and a UUIDv7 (RFC 9562) as 22 base62 digits. With the same
 * prefix, ids of one process sort bytewise in order of creation, and ids of several processes by
 * the millisecond of their clocks.
 */
export const newId = (prefix: string): string => `${prefix}_${toBase62(uuidV7())}`;

/** Returns a UUIDv7 in the notation of RFC 9562; ordered as the ids of `newId`. */
export const newEventId = (): string =>
  uuidV7()
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const uuidV7 = (): Buffer => {
  if (usedBytes + ID_BYTES > POOL_BYTES) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  const bytes = pool.subarray(usedBytes, usedBytes + ID_BYTES);
  usedBytes += ID_BYTES;
  advance(Date.now());
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes;
};

/**
 * Advances the time and counter of the ids. If the clock does not advance and the counter is at its
 * maximum, the next millisecond is used.
 */
const advance = (nowMs: number): void => {
  const hasAdvanced = nowMs > lastMs;
  const isFull = !hasAdvanced && counter === COUNTER_MAX;
  lastMs = hasAdvanced ? nowMs : lastMs + Number(isFull);
  counter = hasAdvanced || isFull ? 0 : counter + 1;
};

/** Divides by 62^5 in limbs of 16 bits, which takes a tenth of the time of BigInt. */
const toBase62 = (bytes: Buffer): string => {
  const limbs = new Uint16Array(ID_BYTES / 2);
  for (let index = 0; index < limbs.length; index += 1)
    limbs[index] = bytes.readUInt16BE(2 * index);
  let digits = '';
  while (digits.length < LENGTH) {
    let rest = 0;
    for (let index = 0; index < limbs.length; index += 1) {
      const dividend = rest * 0x1_0000 + limbs[index]!;
      const quotient = Math.floor(dividend / PASS_BASE);
      limbs[index] = quotient;
      rest = dividend - quotient * PASS_BASE;
    }
    for (let count = 0; count < PASS_DIGITS; count += 1) {
      digits = ALPHABET[rest % ALPHABET.length]! + digits;
      rest = Math.floor(rest / ALPHABET.length);
    }
  }
  return digits.slice(-LENGTH);
};
