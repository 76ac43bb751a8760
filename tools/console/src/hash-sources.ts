import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files and folders that the built console depends on, relative to the repository's root. */
const SOURCES: readonly string[] = [
  'apps/console/index.html',
  'apps/console/package.json',
  'apps/console/src',
  'libs/privacy/package.json',
  'libs/privacy/src',
  'libs/proof/package.json',
  'libs/proof/src',
  'package-lock.json',
  'tools/console/src',
];

/** Returns a hash of all sources of the console, tests excluded. */
export const hashSources = async (root: string): Promise<string> => {
  const files = (await Promise.all(SOURCES.map((path) => listFiles(root, path)))).flat();
  const lines = files.toSorted().map(async (path) => {
    const content = await readFile(join(root, path));
    return `${path} ${hash('sha256', content, 'hex')}\n`;
  });
  return hash('sha256', (await Promise.all(lines)).join(''), 'hex');
};

const listFiles = async (root: string, path: string): Promise<string[]> => {
  if (/\.[a-z]+$/.test(path)) return [path];
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, ''));
};
