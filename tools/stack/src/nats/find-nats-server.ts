import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** What a person does who has no nats-server. */
export const HOW_TO_GET_NATS =
  'apt-get install nats-server, brew install nats-server, or a release of ' +
  'https://github.com/nats-io/nats-server/releases put on the PATH';

// Where packages put it that the PATH of an ordinary user (Debian) or of a desktop (Homebrew)
// does not name.
const PACKAGE_FOLDERS = ['/usr/local/bin', '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

/**
 * The nats-server of this machine: on `path` (a PATH variable), or where packages put it. Without
 * a path, nowhere: whoever is told nothing of the machine uses nothing of it.
 */
export const findNatsServer = (
  path: string | undefined,
  packageFolders: readonly string[] = PACKAGE_FOLDERS,
): string | undefined => {
  if (path === undefined) return undefined;
  // An entry that is not absolute means the working directory, which is no place for programs.
  const folders = [...path.split(delimiter).filter(isAbsolute), ...packageFolders];
  return folders.map((folder) => join(folder, 'nats-server')).find(isProgram);
};

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there or not for us: the next folder may have one.
    return false;
  }
};
