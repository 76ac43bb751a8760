import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { arbitraryPath, stringLeaves } from '../../test/string-leaves.ts';
import type { LeafPath } from '../dialect.ts';
import { valueAt } from './json-value.ts';

const ROOT = { a: [{ b: 'c' }, null], d: 5 };

const STEPS: readonly (readonly [string, LeafPath, number, unknown])[] = [
  ['the root for length 0', ['a', 0, 'b'], 0, ROOT],
  ['an inner object', ['a', 0, 'b'], 2, { b: 'c' }],
  ['a leaf', ['a', 0, 'b'], 3, 'c'],
  ['nothing below an absent member', ['x', 0], 2, undefined],
  ['nothing beyond the end of a list', ['a', 2], 2, undefined],
  ['null itself', ['a', 1], 2, null],
  ['nothing inside null', ['a', 1, 'b'], 3, undefined],
  ['nothing inside a number', ['d', 'toFixed'], 2, undefined],
  ['nothing inside a text', ['a', 0, 'b', 'length'], 4, undefined],
];

describe('valueAt', () => {
  it.each(STEPS)('finds %s', (_name, path, length, value) => {
    expect(valueAt(ROOT, path, length)).toEqual(value);
  });

  it('finds every leaf at its own path', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (root) => {
        for (const { path, value } of stringLeaves(root)) {
          expect(valueAt(root, path, path.length)).toBe(value);
        }
      }),
    );
  });

  it('accepts any path into any JSON', () => {
    const keys = ['constructor', '__proto__', 'length', 'a'];
    fc.assert(
      fc.property(fc.jsonValue(), arbitraryPath(keys), (root, path) => {
        expect(() => valueAt(root, path, path.length)).not.toThrow();
      }),
    );
  });
});
