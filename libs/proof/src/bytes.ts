import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { nodeCrypto } from './node-crypto.ts';

/** Room for keys, signatures and a whole path of a map, which has 10,924 characters. */
const MAX_LENGTH = 16 * 1024;

/**
 * Returns the bytes of a padded standard base64 text. Returns undefined for other alphabets, white
 * space, missing padding and more than 16,384 characters, and for spare bits that are not zero,
 * because several texts would encode the same bytes (RFC 4648 section 3.5).
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length > MAX_LENGTH || text.length % 4 !== 0) return undefined;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return encodeBase64(bytes) === text ? bytes : undefined;
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

const encoder = new TextEncoder();

export function sha256Hex(data: string | Uint8Array): string {
  if (nodeCrypto !== undefined) return nodeCrypto.hash('sha256', data, 'hex');
  return bytesToHex(nobleSha256(typeof data === 'string' ? encoder.encode(data) : data));
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the text of UTF-8 bytes, or undefined for other bytes. A byte order mark stays in the
 * text, where no format of this library allows it.
 */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export function toUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Returns the SHA-256 of the parts, one after the other; a string stands for its UTF-8 bytes. */
export function sha256(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const data = joinBytes(parts);
  // As hex, because Node allocates memory outside of its heap for each hash that is bytes.
  if (nodeCrypto !== undefined) return Buffer.from(nodeCrypto.hash('sha256', data, 'hex'), 'hex');
  return nobleSha256(data);
}

const BLOCK_BYTES = 64;

/**
 * Returns the HMAC-SHA-256 (RFC 2104) of the parts, one after the other, under a key. It is two
 * hashes, because `createHmac` of Node takes several times as long for a short text.
 */
export function hmacSha256(
  key: Uint8Array,
  ...parts: readonly (string | Uint8Array)[]
): Uint8Array {
  const short = key.length > BLOCK_BYTES ? sha256(key) : key;
  const inner = new Uint8Array(BLOCK_BYTES).fill(0x36);
  const outer = new Uint8Array(BLOCK_BYTES).fill(0x5c);
  for (let i = 0; i < short.length; i += 1) {
    inner[i]! ^= short[i]!;
    outer[i]! ^= short[i]!;
  }
  return sha256(outer, sha256(inner, ...parts));
}

export function joinBytes(parts: readonly (string | Uint8Array)[]): Uint8Array {
  // Node takes small buffers from a pool, which is several times as fast as memory for each.
  if (nodeCrypto !== undefined) {
    return Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    );
  }
  const pieces = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}

/** Returns the 8 bytes of an integer from 0 to 2^53-1, big-endian. */
export function encodeUint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(value / 2 ** 32));
  view.setUint32(4, value);
  return bytes;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
