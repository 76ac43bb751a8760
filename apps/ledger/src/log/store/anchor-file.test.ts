import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createAnchorFile } from './anchor-file.ts';

describe('the anchor file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-anchor-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('has the note that was written last, and leaves no draft', async () => {
    const anchor = createAnchorFile(join(folder, 'checkpoint'));
    expect(await anchor.read()).toBeUndefined();
    await anchor.write('first');
    await anchor.write('second');
    expect(await anchor.read()).toBe('second');
    expect(await readdir(folder)).toEqual(['checkpoint']);
  });

  it('is whole while several replicas write it', async () => {
    const anchors = Array.from({ length: 8 }, () => createAnchorFile(join(folder, 'checkpoint')));
    const notes = anchors.map((_, i) => `${i}`.repeat(10_000));
    await Promise.all(anchors.map((anchor, i) => anchor.write(notes[i]!)));
    expect(notes).toContain(await anchors[0]!.read());
    expect(await readdir(folder)).toEqual(['checkpoint']);
  });

  it('stays as it is if the new one cannot be stored', async () => {
    const path = join(folder, 'checkpoint');
    await createAnchorFile(path).write('first');
    await writeFile(join(folder, 'file'), '');
    await expect(createAnchorFile(join(folder, 'file', 'checkpoint')).write('x')).rejects.toThrow(
      'ENOTDIR',
    );
    expect(await createAnchorFile(path).read()).toBe('first');
  });
});
