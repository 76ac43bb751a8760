import { existsSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Homes of whole test systems begin so too, and have their broker in the same folder.
const PREFIX = 'witan-test-';

/** The broker's own folder in a home. */
export const toNatsDir = (home: string): string => join(home, 'nats');

/** Makes a fresh home for one nats-server. */
export const createTestNatsHome = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}nats-`));

/** Every home in the temporary folder that has a broker, of this run or of any other. */
export const findTestNatsHomes = async (): Promise<string[]> => {
  const names = await readdir(tmpdir());
  return names
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name))
    .filter((home) => existsSync(toNatsDir(home)));
};
