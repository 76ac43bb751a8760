import { describe, expect, it } from '@jest/globals';
import { memoryOf } from '../../../test/memory-of.ts';
import { findSimilarMemories } from './find-similar-memories.ts';

const VALUE = 'the office in Lisbon opens on the first of May with ten new people';
const NEW = memoryOf('office', { value: VALUE });

const similarTo = (...all: (typeof NEW)[]) =>
  findSimilarMemories([NEW], [NEW, ...all]).map((found) => found.similarTo.key);

describe('a changed memory', () => {
  it('is similar to one that says nearly the same under another key', () => {
    expect(similarTo(memoryOf('opening', { value: `${VALUE.toUpperCase()}!` }))).toEqual([
      'opening',
    ]);
    expect(similarTo(memoryOf('opening', { value: `${VALUE} today` }))).toEqual(['opening']);
  });

  it.each([
    ['of another type', memoryOf('opening', { value: VALUE, type: 'goal' })],
    ['with its own key', memoryOf('Office', { value: VALUE, isGlobal: true })],
    [
      'with two other words',
      memoryOf('opening', { value: VALUE.replace('first of May', 'ninth') }),
    ],
    ['without words', memoryOf('opening', { value: '…' })],
  ])('is not similar to one %s', (_name, other) => {
    expect(similarTo(other)).toEqual([]);
  });

  it('is similar to the likest one, of equals the first by key', () => {
    const near = memoryOf('a', { value: `${VALUE} today` });
    expect(
      similarTo(near, memoryOf('c', { value: VALUE }), memoryOf('b', { value: VALUE })),
    ).toEqual(['b']);
  });

  it('without words is similar to none', () => {
    const blank = memoryOf('x', { value: '!' });
    expect(findSimilarMemories([blank], [memoryOf('y', { value: '!' })])).toEqual([]);
  });
});
