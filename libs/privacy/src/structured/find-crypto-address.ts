import { sha256 } from '@noble/hashes/sha2.js';
import { type Found, found } from './scan.ts';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const RIPPLE = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const PREFIXES = ['bc', 'tb', 'ltc', 'cosmos', 'addr', 'bcrt', 'osmo', 'celestia'];

/** Finds a wallet address: base58check, bech32, or `0x` and 40 hex digits. */
export function findCryptoAddress(text: string, start: number, end: number): Found | undefined {
  const length = end - start;
  if (length < 25 || length > 110) return undefined;
  const token = text.slice(start, end);
  if (token.startsWith('0x')) {
    return length === 42 && hasVariedDigits(token) ? found(start, end, 'CRYPTO') : undefined;
  }
  const isValid = length <= 35 ? isBase58Check(token) || isBech32(token) : isBech32(token);
  return isValid ? found(start, end, 'CRYPTO') : undefined;
}

function hasVariedDigits(token: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(token) && new Set(token.slice(2).toLowerCase()).size >= 10;
}

/** Verifies the checksum of a base58check address: double SHA-256 of 21 bytes. */
function isBase58Check(token: string): boolean {
  if (!/^[13LMTDXmn2rt][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(token)) return false;
  const digits = token.startsWith('r') ? RIPPLE : BASE58;
  const bytes = new Uint8Array(25);
  for (let i = 0; i < token.length; i++) {
    let carry = digits.indexOf(token.charAt(i));
    for (let k = 24; k >= 0; k--) {
      carry += (bytes[k] ?? 0) * 58;
      bytes[k] = carry & 0xff;
      carry >>= 8;
    }
    if (carry !== 0) return false;
  }
  const check = sha256(sha256(bytes.subarray(0, 21)));
  return [0, 1, 2, 3].every((i) => check[i] === bytes[21 + i]);
}

/** Verifies the BCH checksum of a bech32 or bech32m address (BIP 173, BIP 350). */
function isBech32(token: string): boolean {
  const lower = token.toLowerCase();
  if (lower !== token && token.toUpperCase() !== token) return false;
  const prefix = PREFIXES.find((name) => lower.startsWith(`${name}1`));
  if (prefix === undefined) return false;
  const values: number[] = [];
  for (const char of prefix) values.push(char.charCodeAt(0) >> 5);
  values.push(0);
  for (const char of prefix) values.push(char.charCodeAt(0) & 31);
  for (const char of lower.slice(prefix.length + 1)) {
    const value = BECH32.indexOf(char);
    if (value < 0) return false;
    values.push(value);
  }
  const sum = polymod(values);
  return sum === 1 || sum === 0x2bc830a3;
}

function polymod(values: readonly number[]): number {
  const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    generators.forEach((generator, i) => {
      if (((top >> i) & 1) === 1) sum ^= generator;
    });
  }
  return sum >>> 0;
}
