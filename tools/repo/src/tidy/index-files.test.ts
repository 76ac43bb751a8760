import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { indexFiles } from './index-files.ts';

describe('indexFiles', () => {
  it('refuses an index.ts below the root of a library', () => {
    const tree = treeOf({ 'libs/a/src/index.ts': '', 'libs/a/src/b/index.ts': '' });
    expect(indexFiles(tree).map(({ path }) => path)).toEqual(['libs/a/src/b/index.ts']);
  });

  it('refuses "export *" everywhere but in contracts', () => {
    const star = `export * from './x.ts';`;
    const tree = treeOf({ 'libs/contracts/src/index.ts': star, 'libs/a/src/index.ts': star });
    expect(formatFindings(indexFiles(tree))).toEqual([
      'libs/a/src/index.ts:1 has "export *": list the names.',
    ]);
  });
});
