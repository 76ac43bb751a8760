import { open, readFile, rename } from 'node:fs/promises';
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
    // Replicas with one volume do not write to the same draft.
    const draft = `${path}.${process.pid}.new`;
    const file = await open(draft, 'w');
    try {
      await file.writeFile(note);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  },
});
