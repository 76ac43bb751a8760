import { type Found, found } from '../structured/scan.ts';
import { hashOf } from '../structured/word-hash.ts';
import { bareValueEnd } from './bare-value.ts';
import { isRandom, isDummyValue } from './secret-value.ts';
import { PASSWORD_WORDS, SECRET_WORDS } from './secret-words.ts';

const ANNOUNCEMENT = /([\p{L}]{3,16}) (?:is|was|ist|lautet|es|est|è|é) $/u;
const MAX_DISTANCE = 26;

/** Finds the value at `start` after `password is`, if it contains a digit and other characters. */
export function findSentencePassword(text: string, start: number): Found | undefined {
  const verb = text.charCodeAt(start - 2);
  if (verb !== 0x73 && verb !== 0x74 && verb !== 0xe8 && verb !== 0xe9) return undefined;
  const announced = ANNOUNCEMENT.exec(text.slice(Math.max(0, start - MAX_DISTANCE), start))?.[1];
  if (announced === undefined) return undefined;
  const hash = hashOf(announced, 0, announced.length);
  const isSecret = SECRET_WORDS.has(hash) || announced.toLowerCase() === 'key';
  if (!isSecret && !PASSWORD_WORDS.has(hash)) return undefined;
  const end = bareValueEnd(text, start, false);
  const value = text.slice(start, end);
  if (isSecret) return isRandom(value) ? found(start, end, 'SECRET') : undefined;
  const isPassword =
    value.length >= 6 && /\d/.test(value) && /[^\d.]/.test(value) && !isDummyValue(value);
  return isPassword ? found(start, end, 'SECRET') : undefined;
}
