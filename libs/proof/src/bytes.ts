import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { nodeCrypto } from './node-crypto.ts';

// Maximum length of a base64 text; those of keys and signatures have at most 88 characters.
const MAX_LENGTH = 1024;

/**
 * Returns the bytes of a padded standard base64 text. Returns undefined for other alphabets, white
 * space, missing padding and more than 1,024 characters, and for spare bits that are not zero,
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
  return bytesToHex(sha256(typeof data === 'string' ? encoder.encode(data) : data));
}
