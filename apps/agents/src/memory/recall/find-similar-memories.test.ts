import { describe, expect, it } from '@jest/globals';
import { memoryOf } from '../../../test/memory-of.ts';
import { findSimilarMemories } from './find-similar-memories.ts';

const VALUE = 'the office in Lisbon opens on the first of May with ten new people';
const CHANGED = memoryOf('office', { value: VALUE });

const similarTo = (...all: (typeof CHANGED)[]) =>
  findSimilarMemories([CHANGED], [CHANGED, ...all]).map((found) => found.similarTo.key);

describe('findSimilarMemories', () => {
  it('finds a near duplicate under another key', () => {
    expect(similarTo(memoryOf('opening', { value: `${VALUE.toUpperCase()}!` }))).toEqual([
      'opening',
    ]);
    expect(similarTo(memoryOf('opening', { value: `${VALUE} today` }))).toEqual(['opening']);
  });

  it.each([
    ['of another type', memoryOf('opening', { value: VALUE, type: 'goal' })],
    ['with the same key', memoryOf('Office', { value: VALUE, isGlobal: true })],
    [
      'with two different words',
      memoryOf('opening', { value: VALUE.replace('first of May', 'ninth') }),
    ],
    ['without words', memoryOf('opening', { value: '…' })],
  ])('ignores a memory %s', (_name, other) => {
    expect(similarTo(other)).toEqual([]);
  });

  it('finds the most similar memory, and in a tie the first by key', () => {
    const similarMemory = memoryOf('a', { value: `${VALUE} today` });
    expect(
      similarTo(similarMemory, memoryOf('c', { value: VALUE }), memoryOf('b', { value: VALUE })),
    ).toEqual(['b']);
  });

  it('finds nothing for a memory without words', () => {
    const wordlessMemory = memoryOf('x', { value: '!' });
    expect(findSimilarMemories([wordlessMemory], [memoryOf('y', { value: '!' })])).toEqual([]);
  });
});
