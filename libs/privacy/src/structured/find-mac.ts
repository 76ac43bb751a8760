import { isAlnum, isHex } from './char-class.ts';
import { clean, type Found, found } from './scan.ts';

const LENGTH = 17;

/**
 * A hardware address of six pairs that begins at `start`; longer rows of pairs are fingerprints.
 */
export function findMac(text: string, start: number): Found | undefined {
  const separator = text.charCodeAt(start + 2);
  if (separator !== 0x3a && separator !== 0x2d) return undefined;
  const before = text.charCodeAt(start - 1);
  if (start > 0 && (isAlnum(before) || before === separator)) return undefined;
  const end = start + LENGTH;
  for (let i = 0; i < LENGTH; i++) {
    const c = text.charCodeAt(start + i);
    if (i % 3 === 2 ? c !== separator : !isHex(c)) return undefined;
  }
  const after = text.charCodeAt(end);
  if (isAlnum(after) || (after === separator && isAlnum(text.charCodeAt(end + 1))))
    return undefined;
  const value = text.slice(start, end).toLowerCase();
  if (/^[0:-]+$/.test(value) || /^[f:-]+$/.test(value)) return clean(end);
  return found(start, end, 'MAC');
}
