import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * Returns the npm packages, as `name@version`, that contain the files, in ascending order. Paths
 * are absolute or relative to `root`; those outside of packages count for nothing.
 */
export const listPackages = async (root: string, paths: readonly string[]): Promise<string[]> => {
  const folders = new Set(paths.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? []));
  const names = [...folders].map(async (folder) => {
    const manifest = await readFile(resolve(root, folder, 'package.json'), 'utf8');
    const { name, version } = JSON.parse(manifest) as { name: string; version: string };
    return `${name}@${version}`;
  });
  return [...new Set(await Promise.all(names))].toSorted();
};
