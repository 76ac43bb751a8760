import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SystemFile } from '@witan/stack';

/**
 * Returns the connection data of the system in `home`, or undefined if there is no `system.json`.
 * The file exists while the system runs, and remains if the system is killed.
 */
export const readSystem = async (home: string): Promise<SystemFile | undefined> => {
  try {
    return JSON.parse(await readFile(join(home, 'system.json'), 'utf8')) as SystemFile;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};
