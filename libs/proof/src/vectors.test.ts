import { describe, expect, it } from '@jest/globals';
import { vectorText } from '../test/vector-file.ts';
import { makeVectors } from '../vectors/make.ts';

describe('vectors', () => {
  it.each(Object.entries(makeVectors()))('match the output of make.ts: %s', (name, text) => {
    expect(vectorText(name)).toBe(text);
  });
});
