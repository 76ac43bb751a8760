import { join } from 'node:path';

/** Folder of the built files, which the api-gateway serves. */
export const siteFolder = (root: string): string => join(root, 'apps/console/dist/site');

/** File with the hash of the sources that the built files were made from. */
export const sourcesFile = (root: string): string => join(root, 'apps/console/dist/sources.sha256');

/** File with the npm packages in the built files, which the software bill of materials lists. */
export const packagesFile = (root: string): string => join(root, 'apps/console/dist/packages.json');

/** Exists while a process builds. */
export const lockFile = (root: string): string => join(root, 'apps/console/dist/build.lock');

/** Folder of an unfinished build, which replaces the site when it is complete. */
export const unfinishedFolder = (root: string): string =>
  join(root, `apps/console/dist/site-${process.pid}`);
