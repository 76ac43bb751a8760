import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { plainWords } from './plain-words.ts';

describe('plainWords', () => {
  it.each([
    ['an identifier', 'apps/x/src/a.ts', 'export const createScribe = 1;'],
    ['a comment', 'apps/x/src/a.ts', '// The courier waits.'],
    ['a file name', 'apps/x/src/open-shelf.ts', 'export const a = 1;'],
    ['a contract', 'proto/a.proto', '// Without luck.'],
    ['a page', 'docs/a.md', 'The clerk writes it.'],
  ])('refuses a word of the list in %s', (_name, path, text) => {
    expect(plainWords(treeOf({ [path]: text }))).toMatchObject([{ path, line: 1 }]);
  });

  it.each([
    ['a word that only contains one', 'docs/a.md', 'Label the rows.'],
    ['an applied migration', 'apps/x/src/storage/migrations/0001-a.ts', '// the scribe'],
    ['a text of a program', 'apps/x/src/a.ts', "export const a = 'the shelf';"],
  ])('accepts %s', (_name, path, text) => {
    expect(plainWords(treeOf({ [path]: text }))).toEqual([]);
  });
});
