import type { FileHashes } from '../hash-files.ts';

/**
 * Returns the files that an image should contain, because the SBOM was made from them, and does
 * not.
 * Bundles are reproducible, so a difference means another source, lock file or bundler.
 */
export const compareBundles = (described: FileHashes, image: FileHashes): string[] =>
  Object.keys(described)
    .filter((name) => described[name] !== image[name])
    .map((name) => `/app/${name} is not the file that the SBOM describes.`);
