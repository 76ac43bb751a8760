import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Anchor } from '../anchor.ts';

/** Stores the anchor in a file, which is replaced as a whole and is durable before it is. */
export const createAnchorFile = (path: string): Anchor => ({
  read: async () => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  },
  write: async (note) => {
    // Replicas with one volume may have the same process id.
    const draft = `${path}.${randomUUID()}.new`;
    try {
      await writeDurably(draft, note);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await using folder = await open(dirname(path), 'r');
    await folder.sync();
  },
});

const writeDurably = async (path: string, text: string): Promise<void> => {
  await using file = await open(path, 'wx');
  await file.writeFile(text);
  await file.sync();
};
