import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findNatsServer } from './find-nats-server.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'witan-stack-find-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

const writeProgram = async (folder: string): Promise<string> => {
  await mkdir(join(home, folder));
  const file = join(home, folder, 'nats-server');
  await writeFile(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
};

describe('findNatsServer', () => {
  it('returns the first program on the path', async () => {
    const first = await writeProgram('first');
    await writeProgram('second');
    const path = ['empty', 'first', 'second'].map((name) => join(home, name)).join(delimiter);
    expect(findNatsServer(path, [])).toBe(first);
  });

  it('returns a program in a package folder outside the path', async () => {
    const packaged = await writeProgram('sbin');
    expect(findNatsServer('', [join(home, 'sbin')])).toBe(packaged);
  });

  it('skips folders of that name, files that are not executable, and relative entries', async () => {
    const plain = await writeProgram('plain');
    await chmod(plain, 0o644);
    await mkdir(join(home, 'folder', 'nats-server'), { recursive: true });
    const path = [join(home, 'plain'), join(home, 'folder'), '', '.'].join(delimiter);
    expect(findNatsServer(path, [])).toBeUndefined();
  });

  it('returns undefined without a path', async () => {
    await writeProgram('sbin');
    expect(findNatsServer(undefined, [join(home, 'sbin')])).toBeUndefined();
  });
});
