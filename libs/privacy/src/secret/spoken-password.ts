import { type Found, found } from '../structured/scan.ts';
import { hashOf } from '../structured/word-hash.ts';
import { bareEnd } from './bare-value.ts';
import { isRandom, isStandIn } from './secret-value.ts';
import { PASSWORD_WORDS, SECRET_WORDS } from './secret-words.ts';

/** The word for a password, the verb and a space, right before the value. */
const TOLD = /([\p{L}]{3,16}) (?:is|was|ist|lautet|es|est|è|é) $/u;
const REACH = 26;

/** The value at `start` of `password is ...`, if it holds a digit and something else. */
export function findSpokenPassword(text: string, start: number): Found | undefined {
  const verb = text.charCodeAt(start - 2);
  // The last letter of one of the verbs: s, t, è, é.
  if (verb !== 0x73 && verb !== 0x74 && verb !== 0xe8 && verb !== 0xe9) return undefined;
  const word = TOLD.exec(text.slice(Math.max(0, start - REACH), start))?.[1];
  if (word === undefined) return undefined;
  const hash = hashOf(word, 0, word.length);
  const isSecret = SECRET_WORDS.has(hash) || word.toLowerCase() === 'key';
  if (!isSecret && !PASSWORD_WORDS.has(hash)) return undefined;
  const end = bareEnd(text, start, false);
  const value = text.slice(start, end);
  if (isSecret) return isRandom(value) ? found(start, end, 'SECRET') : undefined;
  const spoken = value.length >= 6 && /\d/.test(value) && /[^\d.]/.test(value) && !isStandIn(value);
  return spoken ? found(start, end, 'SECRET') : undefined;
}
