import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { lockFile } from './lock-file.ts';

describe('lockFile', () => {
  it('refuses a download address and accepts a workspace link', () => {
    const resolved = ['libs/proof', 'https://host.example/a.tgz'];
    const lock = `{\n${resolved.map((where) => `"resolved": "${where}"`).join(',\n')}\n}`;
    expect(lockFile(treeOf({ 'package-lock.json': lock })).map(({ line }) => line)).toEqual([3]);
  });
});
