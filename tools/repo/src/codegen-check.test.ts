import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { compareFolders } from './codegen-check.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witan-drift-'));
});

afterEach(() => rm(folder, { recursive: true }));

const write = async (path: string, text: string): Promise<void> => {
  const file = join(folder, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
};

describe('compareFolders', () => {
  it('lists changed, missing and left-over files at every depth', async () => {
    await write('old/same.ts', 'a');
    await write('old/v1/changed.ts', 'a');
    await write('old/left-over.ts', 'a');
    await write('new/same.ts', 'a');
    await write('new/v1/changed.ts', 'a ');
    await write('new/v1/missing.ts', 'a');
    expect(await compareFolders(join(folder, 'old'), join(folder, 'new'))).toEqual([
      { path: 'left-over.ts', kind: 'left over' },
      { path: 'v1/changed.ts', kind: 'changed' },
      { path: 'v1/missing.ts', kind: 'missing' },
    ]);
  });

  it('treats a missing folder as empty', async () => {
    await write('new/a.ts', 'a');
    expect(await compareFolders(join(folder, 'old'), join(folder, 'new'))).toEqual([
      { path: 'a.ts', kind: 'missing' },
    ]);
  });
});
