import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 22;
const BASE = 62n;
/** Random bytes drawn ahead, so that an id costs no system call of its own. */
const POOL_BYTES = 4_096;
const ID_BYTES = 16;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * A fresh id: the prefix, an underscore and a UUIDv7 (RFC 9562) as 22 base62 digits. Ids sort by
 * the millisecond in which they were made.
 */
export const newId = (prefix: string): string => `${prefix}_${toBase62(uuidV7())}`;

const uuidV7 = (): bigint => {
  if (used + ID_BYTES > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, used + ID_BYTES);
  used += ID_BYTES;
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return (bytes.readBigUInt64BE(0) << 64n) | bytes.readBigUInt64BE(8);
};

const toBase62 = (value: bigint): string => {
  let rest = value;
  let digits = '';
  for (let place = 0; place < LENGTH; place += 1) {
    digits = ALPHABET[Number(rest % BASE)] + digits;
    rest /= BASE;
  }
  return digits;
};
