import { joinBytes } from '../bytes.ts';
import { ProofError } from '../errors.ts';

/** Bytes of the length before each entry. */
const LENGTH_BYTES = 2;

/** Returns the bytes of a tile of entries: before each its length, 2 bytes, big-endian. */
export function joinEntries(entries: readonly Uint8Array[]): Uint8Array {
  return joinBytes(
    entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry]),
  );
}

/** Returns the entries of a tile. Throws ProofError `note` if its last entry is not complete. */
export function splitEntries(bytes: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = at + LENGTH_BYTES;
    const end = start + (bytes[at]! << 8) + (bytes[at + 1] ?? 0);
    if (end > bytes.length)
      throw new ProofError('note', 'the last entry of a tile is not complete');
    entries.push(bytes.slice(start, end));
    at = end;
  }
  return entries;
}
