export type ProvenanceParts = {
  name: string;
  version: string;
  engine: string;
  nodeImage: string;
  /** Digest of the base image, if the engine knows it. */
  nodeImageDigest: string | undefined;
  revision: string;
  source: string | undefined;
  lockFileDigest: string;
  /** Digest of the image's manifest or, with Docker before a push, of its configuration. */
  imageDigest: string;
  /** SHA-256 of each file of the bundle by name. */
  bundle: Readonly<Record<string, string>>;
  sbom: { name: string; digest: string };
  startedOn: Date;
  finishedOn: Date;
};

const BUILD_TYPE = 'urn:witan:build:dockerfile:v1';

const sha256 = (digest: string): { sha256: string } => ({ sha256: digest.replace('sha256:', '') });

/**
 * Returns an in-toto Statement v1 with the SLSA provenance v1 of one image: what was built (the
 * image and the files of its bundle), from what (commit, lock file, base image), and how.
 */
export const toProvenance = (parts: ProvenanceParts) => {
  const { name, version, engine, nodeImage, nodeImageDigest, revision } = parts;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: `witan/${name}:${version}`, digest: sha256(parts.imageDigest) },
      ...Object.entries(parts.bundle).map(([file, digest]) => ({
        name: `bundles/${name}/${file}`,
        digest: sha256(digest),
      })),
    ],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: {
          program: name,
          version,
          nodeImage,
          dockerfile: 'deploy/docker/Dockerfile',
        },
        internalParameters: { engine },
        resolvedDependencies: [
          {
            name: 'source',
            uri: `git+${parts.source ?? 'https://unknown.invalid'}@${revision}`,
            digest: { gitCommit: revision.replace(/-dirty$/, '') },
            ...(revision.endsWith('-dirty') ? { annotations: { hasLocalChanges: true } } : {}),
          },
          { name: 'package-lock.json', digest: sha256(parts.lockFileDigest) },
          {
            name: nodeImage,
            uri: `docker://${nodeImage}`,
            ...(nodeImageDigest === undefined ? {} : { digest: sha256(nodeImageDigest) }),
          },
        ],
      },
      runDetails: {
        builder: { id: `urn:witan:builder:${engine}` },
        metadata: {
          startedOn: parts.startedOn.toISOString(),
          finishedOn: parts.finishedOn.toISOString(),
        },
        byproducts: [{ name: parts.sbom.name, digest: sha256(parts.sbom.digest) }],
      },
    },
  };
};

export type Provenance = ReturnType<typeof toProvenance>;
