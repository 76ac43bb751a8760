/** The parts of a CycloneDX document that are read or written here. */
export type Sbom = {
  metadata: { component?: object } & Record<string, unknown>;
  components: readonly { 'bom-ref': string; [name: string]: unknown }[];
  dependencies: readonly { ref: string; dependsOn?: readonly string[] }[];
} & Record<string, unknown>;

/** A program, and the npm packages whose code is in its bundle, as `name@version`. */
export type Contents = {
  name: string;
  version: string;
  nodeVersion: string;
  packages: readonly string[];
};

/**
 * The bill of one image: of all that npm knows, what is in its bundle, with the hashes and licences
 * that npm tells. Throws when the bundle has a package that npm does not know: the bill would lie.
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
