import { TextDecoder } from 'node:util';
import { unsupportedFormat } from './document-refusals.ts';

/**
 * Decodes a text file by its byte order mark, otherwise by the character set `label`, otherwise as
 * UTF-8, otherwise as windows-1252. Throws UNSUPPORTED_MEDIA_TYPE for binary content.
 */
export const decodeText = (bytes: Uint8Array, label?: string): string => {
  const text = decode(bytes, bomOf(bytes) ?? label);
  if (isBinary(text)) throw unsupportedFormat('The document is no text.');
  return text;
};

const decode = (bytes: Uint8Array, label: string | undefined): string => {
  const decoder = toDecoder(label);
  return decoder && decoder.encoding !== 'utf-8' ? decoder.decode(bytes) : decodeUtf8(bytes);
};

const toDecoder = (label: string | undefined): TextDecoder | undefined => {
  if (!label) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
};

const bomOf = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined;
};

/** One invalid UTF-8 sequence is tolerated per this number of valid non-ASCII characters. */
const INVALID_SHARE_DIVISOR = 10;

/**
 * Decodes UTF-8, or windows-1252 if too many bytes are invalid UTF-8. A few invalid bytes are
 * tolerated, because they must not make a long UTF-8 text be decoded as windows-1252.
 */
const decodeUtf8 = (bytes: Uint8Array): string => {
  const text = new TextDecoder('utf-8').decode(bytes);
  const invalidCount = count(text, REPLACED);
  if (invalidCount === 0) return text;
  const validCount = count(text, NON_ASCII) - invalidCount;
  return invalidCount * INVALID_SHARE_DIVISOR <= validCount
    ? text
    : new TextDecoder('windows-1252').decode(bytes);
};

const REPLACED = /\ufffd/g;
const NON_ASCII = /\P{ASCII}/gu;

const count = (text: string, pattern: RegExp): number => {
  let found = 0;
  pattern.lastIndex = 0;
  while (pattern.test(text)) found += 1;
  return found;
};

/** One control character is tolerated per this number of characters. */
const CONTROL_SHARE = 50;

const isBinary = (text: string): boolean => {
  if (text.includes('\0')) return true;
  let controls = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 && !PRINTABLE_CONTROLS.has(unit)) controls += 1;
  }
  return controls * CONTROL_SHARE > text.length;
};

const PRINTABLE_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

export const charsetOf = (mediaType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(mediaType)?.[1];
