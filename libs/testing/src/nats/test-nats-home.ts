import { existsSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'witan-test-';

export const toNatsDir = (home: string): string => join(home, 'nats');

export const createTestNatsHome = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}nats-`));

export const findTestNatsHomes = async (): Promise<string[]> => {
  const names = await readdir(tmpdir());
  return names
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name))
    .filter((home) => existsSync(toNatsDir(home)));
};
