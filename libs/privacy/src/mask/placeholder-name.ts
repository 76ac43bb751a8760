import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { CATEGORIES } from '../span.ts';
import type { Category } from '../span.ts';

/** Prefix of a placeholder name: a category, or LITERAL for escaped lookalikes. */
export type NameKind = Category | 'LITERAL';

export const NAME_KINDS: readonly NameKind[] = [...CATEGORIES, 'LITERAL'];

/** Number of base32 characters of the hash in a placeholder name; 6 characters are 30 bits. */
export const ID_LENGTH = 6;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export type NameCandidates = (kind: NameKind, value: string) => Generator<string, never>;

/**
 * Returns a function that yields candidate names for a value. The first is `KIND_` and six base32
 * characters (RFC 4648) of HMAC-SHA256(key, kind NUL value). Later candidates are used when earlier
 * ones are already taken.
 */
export function createNameCandidates(key: Uint8Array): NameCandidates {
  const keyed = hmac.create(sha256, key);
  // Reused for every hash, because allocating a hash state costs more than hashing.
  const scratch = keyed.clone();
  const digest = (message: string): Uint8Array =>
    keyed._cloneInto(scratch).update(utf8ToBytes(message)).digest();

  return function* candidates(kind, value) {
    for (let pass = 0; ; pass += 1) {
      const message = pass === 0 ? `${kind}\0${value}` : `${kind}\0${value}\0${pass}`;
      const bytes = digest(message);
      for (let bitOffset = 0; bitOffset + ID_BITS <= bytes.length * 8; bitOffset += ID_BITS)
        yield `${kind}_${base32At(bytes, bitOffset)}`;
    }
  };
}

const CHAR_BITS = 5;
const ID_BITS = ID_LENGTH * CHAR_BITS;

function base32At(bytes: Uint8Array, firstBit: number): string {
  let text = '';
  for (let bitOffset = firstBit; bitOffset < firstBit + ID_BITS; bitOffset += CHAR_BITS) {
    const pair = ((bytes[bitOffset >> 3] ?? 0) << 8) | (bytes[(bitOffset >> 3) + 1] ?? 0);
    text += BASE32.charAt((pair >> (16 - CHAR_BITS - (bitOffset & 7))) & 31);
  }
  return text;
}
