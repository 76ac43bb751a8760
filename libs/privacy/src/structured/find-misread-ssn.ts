import { isAlnum, isDigit } from './char-class.ts';
import { findCue } from './find-cue.ts';
import { type Found, found } from './scan.ts';

const LENGTH = 11;
const MIN_DIGITS = 5;

/**
 * Finds a social security number in which OCR misread digits as letters, after its cue:
 * `73O-S9-8088`.
 */
export function findMisreadSsn(text: string, start: number): Found | undefined {
  let digits = 0;
  for (let i = 0; i < LENGTH; i++) {
    const c = text.charCodeAt(start + i);
    if (i === 3 || i === 6) {
      if (c !== 0x2d) return undefined;
    } else if (isDigit(c)) digits++;
    else if (!isLikeDigit(c)) return undefined;
  }
  const end = start + LENGTH;
  if (digits < MIN_DIGITS || digits === 9 || isAlnum(text.charCodeAt(end))) return undefined;
  return findCue(text, start) === 'national' ? found(start, end, 'NATIONAL_ID') : undefined;
}

function isLikeDigit(c: number): boolean {
  return 'OoQDIliZzSsGbBgq'.includes(String.fromCharCode(c));
}
