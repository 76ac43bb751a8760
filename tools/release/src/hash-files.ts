import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the SHA-256 of a file in hexadecimal. */
export const hashFile = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** SHA-256 of each file of a folder by name. */
export type FileHashes = Readonly<Record<string, string>>;

/** Returns the hashes of the files in a folder, which must not contain folders. */
export const hashFiles = async (folder: string): Promise<FileHashes> => {
  const names = (await readdir(folder)).toSorted();
  const hashes = names.map(async (name) => [name, await hashFile(join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(hashes));
};
