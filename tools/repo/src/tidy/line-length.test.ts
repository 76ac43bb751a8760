import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { lineLength } from './line-length.ts';

describe('lineLength', () => {
  it('accepts 100 columns and refuses 101', () => {
    const words = 'word '.repeat(19);
    const tree = treeOf({ 'a.ts': `// ${words}fi\n// ${words}wid` });
    expect(formatFindings(lineLength(tree))).toEqual([
      'a.ts:2 is 101 columns wide, the limit is 100: wrap it.',
    ]);
  });

  it('counts characters, not their bytes', () => {
    expect(lineLength(treeOf({ 'a.ts': `// ${'ü ö '.repeat(24)}` }))).toEqual([]);
  });

  it('accepts a word that cannot be broken', () => {
    expect(lineLength(treeOf({ 'a.ts': `const key = '${'ab'.repeat(60)}';` }))).toEqual([]);
  });

  it('accepts wide text in tests, but not wide code or wide text elsewhere', () => {
    const text = `run('${'words of '.repeat(12)}');`;
    const code = `run(${'value, '.repeat(15)}'text');`;
    const tree = treeOf({ 'a.test.ts': `${text}\n${code}`, 'b.ts': text });
    expect(lineLength(tree).map(({ path, line }) => `${path}:${line}`)).toEqual([
      'a.test.ts:2',
      'b.ts:1',
    ]);
  });
});
