import { isAlnum, isHex } from './char-class.ts';
import { isAfterKey } from './find-ipv6.ts';
import { skipTo, type Found, found } from './scan.ts';

const LENGTH = 17;
const DOTTED = /^(?=.*[a-f])[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}$/i;

/** Finds a hardware address of six pairs; longer sequences are fingerprints. */
export function findMac(text: string, start: number): Found | undefined {
  const separator = text.charCodeAt(start + 2);
  if (separator !== 0x3a && separator !== 0x2d) return undefined;
  const charBefore = text.charCodeAt(start - 1);
  if (start > 0 && isAlnum(charBefore)) return undefined;
  if (charBefore === separator && !(separator === 0x3a && isAfterKey(text, start - 1)))
    return undefined;
  const end = start + LENGTH;
  for (let i = 0; i < LENGTH; i++) {
    const c = text.charCodeAt(start + i);
    if (i % 3 === 2 ? c !== separator : !isHex(c)) return undefined;
  }
  const charAfter = text.charCodeAt(end);
  if (isAlnum(charAfter) || (charAfter === separator && isAlnum(text.charCodeAt(end + 1))))
    return undefined;
  const value = text.slice(start, end).toLowerCase();
  if (/^[0:-]+$/.test(value) || /^[f:-]+$/.test(value)) return skipTo(end);
  return found(start, end, 'MAC');
}

/** Finds a hardware address in the notation of some routers: `001a.2b3c.4d5e`. */
export function findDottedMac(text: string, start: number): Found | undefined {
  if (text.charCodeAt(start + 4) !== 0x2e || text.charCodeAt(start + 9) !== 0x2e) return undefined;
  const value = text.slice(start, start + 14);
  const charBefore = text.charCodeAt(start - 1);
  if (charBefore === 0x2e || charBefore === 0x2d || !DOTTED.test(value)) return undefined;
  const charAfter = text.charCodeAt(start + 14);
  if (isAlnum(charAfter) || (charAfter === 0x2e && isAlnum(text.charCodeAt(start + 15))))
    return undefined;
  return found(start, start + 14, 'MAC');
}
