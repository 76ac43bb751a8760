import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export type ScannedFile = {
  /** Absolute path in the image. */
  path: string;
  /** Path on this machine. */
  location: string;
  isFile: boolean;
  isFolder: boolean;
  mode: number;
  bytes: number;
  uid: number;
};

/** Lists all files and folders below the root of an image; does not follow links. */
export const listFiles = async (root: string, path = '/'): Promise<ScannedFile[]> => {
  const entries = await readdir(join(root, path), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const inner = join(path, entry.name);
      const location = join(root, inner);
      const { mode, size: bytes, uid } = await lstat(location);
      const isFolder = entry.isDirectory();
      const file = { path: inner, location, isFile: entry.isFile(), isFolder, mode, bytes, uid };
      return isFolder ? [file, ...(await listFiles(root, inner))] : [file];
    }),
  );
  return found.flat();
};
