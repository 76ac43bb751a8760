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
    ['a log message', 'apps/x/src/a.ts', "log.warn({ event: 'a_b' }, 'Nobody answered');"],
    ['an error message', 'apps/x/src/a.ts', 'throw new KeyError(`Key ${id} is kept.`);'],
  ])('refuses a word of the list in %s', (_name, path, text) => {
    expect(plainWords(treeOf({ [path]: text }))).toMatchObject([{ path, line: 1 }]);
  });

  it('refuses a term of the API elsewhere', () => {
    expect(plainWords(treeOf({ 'apps/ledger/src/a.ts': 'const facts = 1;' }))).toHaveLength(1);
  });

  it.each([
    ['a longer word that contains a banned word', 'docs/a.md', 'Label the rows.'],
    ['an applied migration', 'apps/x/src/storage/migrations/0001-a.ts', '// the scribe'],
    ['a fixed name', 'apps/x/src/a.ts', '// Reads sealed_secret of `0001-books.ts`.'],
    ['a term of the API where it belongs', 'apps/agents/src/a.ts', 'const facts = 1;'],
    ['a text of a program', 'apps/x/src/a.ts', "export const a = 'the shelf';"],
  ])('accepts %s', (_name, path, text) => {
    expect(plainWords(treeOf({ [path]: text }))).toEqual([]);
  });
});
