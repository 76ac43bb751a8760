import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Only the account that the service runs as reads it, and nobody writes it. */
const FILE_MODE = 0o400;
const FOLDER_MODE = 0o755;

/** The text of a file, made when it is not there; one that is there stays as it is. */
export const keepFile = async (path: string, make: () => string): Promise<string> => {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  try {
    const text = make();
    await writeFile(path, text, { mode: FILE_MODE, flag: 'wx' });
    return text;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return await readFile(path, 'utf8');
  }
};

/** Writes what follows from other files, whole, whatever was there. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: FILE_MODE });
  await rename(`${path}.new`, path);
};
