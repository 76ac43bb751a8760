import { stat } from 'node:fs/promises';
import { errorCode } from './error-code.ts';

/** True when there is something at `path`; what keeps us from looking is thrown. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
