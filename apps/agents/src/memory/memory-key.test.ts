import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MEMORY_KEY_LENGTH_MAX, toKeyNorm } from './memory.ts';

const LONG = 'a'.repeat(MEMORY_KEY_LENGTH_MAX);

describe('toKeyNorm', () => {
  it.each([
    ['city', 'city'],
    [' Home-Town ', 'home_town'],
    ['home..town', 'home_town'],
    ['__home_town__', 'home_town'],
    ['ＣＩＴＹ①', 'city1'],
    ['Straße', 'straße'],
    ['किताब', 'किताब'],
    ['İstanbul', 'i\u0307stanbul'],
    ['🙂!', ''],
    ['', ''],
  ])('normalizes %j to %j', (key, keyNorm) => {
    expect(toKeyNorm(key)).toBe(keyNorm);
  });

  it.each([
    ['of the maximum length', LONG, LONG],
    ['with surrounding punctuation', `(${LONG})`, LONG],
    ['with much punctuation', `${LONG.slice(2)}${'!'.repeat(500)}b`, `${LONG.slice(2)}_b`],
    ['too long: truncation could collide with another key', `${LONG}b`, ''],
    ['too long without compatibility forms', '\ufdfa'.repeat(8), ''],
  ])('never truncates a key: %s', (_name, key, keyNorm) => {
    expect(toKeyNorm(key)).toBe(keyNorm);
  });

  it('is idempotent and respects the length limit', () => {
    const character = fc.constantFrom(
      'a',
      'Ǆ',
      'İ',
      'ﬁ',
      '①',
      'ς',
      '\u0301',
      '_',
      '-',
      ' ',
      '𠀀',
      '\ud800',
    );
    const key = fc.tuple(fc.constantFrom('', 'b'.repeat(124)), fc.array(character));
    fc.assert(
      fc.property(key, ([start, characters]) => {
        const keyNorm = toKeyNorm(start + characters.join(''));
        expect(toKeyNorm(keyNorm)).toBe(keyNorm);
        expect(keyNorm.length).toBeLessThanOrEqual(MEMORY_KEY_LENGTH_MAX);
      }),
      { numRuns: 300 },
    );
  });
});
