import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SystemFile } from '@witan/stack';
import { getLockState } from '@witan/stack/postgres/lock-directory';

/**
 * Returns the connection data of the system in `home`, or undefined if there is no `system.json` or
 * the process that locked `home` has ended: a killed system leaves both files.
 */
export const readSystem = async (home: string): Promise<SystemFile | undefined> => {
  if ((await getLockState(home)) === 'abandoned') return undefined;
  try {
    return JSON.parse(await readFile(join(home, 'system.json'), 'utf8')) as SystemFile;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};
