import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const FILE_MODE = 0o400;
const FOLDER_MODE = 0o755;

/**
 * Returns the content of a file. Creates the file, readable only by its owner, if it is missing;
 * never changes an existing file.
 */
export const ensureFile = async (path: string, make: () => string): Promise<string> => {
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

export const replaceFile = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: FILE_MODE });
  await rename(`${path}.new`, path);
};
