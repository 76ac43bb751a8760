import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

export const HOW_TO_GET_NATS =
  'apt-get install nats-server, brew install nats-server, or a release of ' +
  'https://github.com/nats-io/nats-server/releases put on the PATH';

const PACKAGE_FOLDERS = ['/usr/local/bin', '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

/**
 * Returns the nats-server on `path` (the value of PATH) or in a package folder. Returns undefined
 * without a path, so that tests can exclude programs of the machine.
 */
export const findNatsServer = (
  path: string | undefined,
  packageFolders: readonly string[] = PACKAGE_FOLDERS,
): string | undefined => {
  if (path === undefined) return undefined;
  // A relative entry refers to the working directory, from which no program should be run.
  const folders = [...path.split(delimiter).filter(isAbsolute), ...packageFolders];
  return folders.map((folder) => join(folder, 'nats-server')).find(isProgram);
};

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};
