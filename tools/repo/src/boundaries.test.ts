import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { boundaries } from './boundaries.ts';
import { formatFindings, openTree } from './tree.ts';

describe('boundaries', () => {
  it('hold in the repository', () => {
    const tree = openTree(fileURLToPath(new URL('../../..', import.meta.url)));
    expect(formatFindings(boundaries(tree))).toEqual([]);
  });
});
