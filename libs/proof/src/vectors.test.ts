import { describe, expect, it } from '@jest/globals';
import { vectorText } from '../test/vector-file.ts';
import { makeVectors } from '../vectors/make.ts';

describe('vectors', () => {
  it.each(Object.entries(makeVectors()))('%s is what make.ts writes', (name, text) => {
    expect(vectorText(name)).toBe(text);
  });
});
