export type ImageSource = {
  version: string;
  /** Commit, with the suffix `-dirty` if the working tree differs from it. */
  revision: string;
  /** Time of the commit, so that a second build has the same labels. */
  created: Date;
  /** URL of the repository, if known. */
  source: string | undefined;
};

/**
 * Returns the labels of an image, as defined by the OCI image specification. The Dockerfile adds
 * `title`.
 */
export const toLabels = (of: ImageSource): Readonly<Record<string, string>> => ({
  'org.opencontainers.image.version': of.version,
  'org.opencontainers.image.revision': of.revision,
  'org.opencontainers.image.created': of.created.toISOString(),
  'org.opencontainers.image.licenses': 'Apache-2.0',
  ...(of.source === undefined ? {} : { 'org.opencontainers.image.source': of.source }),
});
