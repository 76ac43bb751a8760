import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { lockFile } from './lock-file.ts';

describe('lockFile', () => {
  it('refuses a download address and accepts a workspace link', () => {
    const lock = '{\n"resolved": "libs/proof",\n"resolved": "https://host.example/a.tgz"\n}';
    expect(lockFile(treeOf({ 'package-lock.json': lock })).map(({ line }) => line)).toEqual([3]);
  });
});
