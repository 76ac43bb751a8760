import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { formatFindings, openTree, treeOf } from './tree.ts';

describe('openTree', () => {
  it('lists the sources without the files that .gitignore names, in a folder without git', () => {
    const root = mkdtempSync(join(tmpdir(), 'witan-tree-'));
    try {
      mkdirSync(join(root, 'src'));
      mkdirSync(join(root, 'node_modules'));
      mkdirSync(join(root, 'dist'));
      writeFileSync(join(root, '.gitignore'), 'dist/\n');
      writeFileSync(join(root, 'src/a.ts'), 'export {};');
      writeFileSync(join(root, 'dist/a.js'), '');
      writeFileSync(join(root, 'node_modules/b.js'), '');
      const tree = openTree(root);
      expect(tree.paths).toEqual(['.gitignore', 'src/a.ts']);
      expect(tree.read('src/a.ts')).toBe('export {};');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('treeOf', () => {
  it('refuses to read a file outside the tree', () => {
    expect(() => treeOf({ 'a.ts': '' }).read('b.ts')).toThrow('b.ts is not in the tree');
  });
});

describe('formatFindings', () => {
  it('includes the line number if there is one', () => {
    const findings = [
      { path: 'a.ts', line: 3, message: 'is wrong.' },
      { path: 'b.ts', message: 'is too.' },
    ];
    expect(formatFindings(findings)).toEqual(['a.ts:3 is wrong.', 'b.ts is too.']);
  });
});
