export type Sbom = {
  metadata: { component?: object } & Record<string, unknown>;
  components: readonly { 'bom-ref': string; [name: string]: unknown }[];
  dependencies: readonly { ref: string; dependsOn?: readonly string[] }[];
} & Record<string, unknown>;

export type Contents = {
  name: string;
  version: string;
  nodeVersion: string;
  packages: readonly string[];
};

/**
 * Returns the SBOM of one image: the bundled packages with the hashes and licences of npm's SBOM.
 * Throws if npm's SBOM lacks a bundled package.
 */
export const toProgramSbom = (all: Sbom, contents: Contents): Sbom => {
  const { name, version, nodeVersion, packages } = contents;
  const wanted = new Set(packages);
  const components = all.components.filter((one) => wanted.has(one['bom-ref']));
  const known = new Set(components.map((one) => one['bom-ref']));
  const missing = packages.filter((one) => !known.has(one));
  if (missing.length > 0) throw new Error(`npm does not know ${missing.join(', ')} of ${name}.`);
  const own = `witan/${name}@${version}`;
  const node = { 'bom-ref': 'node', type: 'platform', name: 'node', version: nodeVersion };
  return {
    ...all,
    metadata: {
      ...all.metadata,
      component: { 'bom-ref': own, type: 'application', name: `witan/${name}`, version },
    },
    components: [node, ...components],
    dependencies: [
      { ref: own, dependsOn: ['node', ...packages] },
      { ref: 'node' },
      ...all.dependencies
        .filter(({ ref }) => wanted.has(ref))
        .map(({ ref, dependsOn = [] }) => ({
          ref,
          dependsOn: dependsOn.filter((one) => wanted.has(one)),
        })),
    ],
  };
};
