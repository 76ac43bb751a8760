/**
 * Returns a go.mod that builds the programs of k8s.io/kubernetes from the module proxy alone.
 *
 * The module requires `v0.0.0` of its staging modules and replaces them by folders, which the
 * published module does not contain. They are published as `v0.Y.Z` for Kubernetes `v1.Y.Z`, so the
 * result requires and replaces them by that version, and takes every other version from `goMod`.
 */
export const wrapKubernetes = (goMod: string, version: string): string => {
  const stagingVersion = version.replace(/^v1\./, 'v0.');
  const requirements = [...goMod.matchAll(/^require \(\n([\s\S]*?)^\)/gm)].map(([, lines = '']) =>
    lines.replaceAll(/^(\tk8s\.io\/[a-z-]+) v0\.0\.0( .*)?$/gm, `$1 ${stagingVersion}`),
  );
  const replacements = [...goMod.matchAll(/^\t(k8s\.io\/[a-z-]+) => \.\/staging\/.*$/gm)].map(
    ([, name]) => `\t${name} => ${name} ${stagingVersion}\n`,
  );
  const directives = goMod.split('\n').filter((line) => /^(go|godebug) /.test(line));
  return [
    'module cluster\n',
    `${directives.join('\n')}\n`,
    `require k8s.io/kubernetes ${version}\n`,
    ...requirements.map((lines) => `require (\n${lines})\n`),
    `replace (\n${replacements.join('')})\n`,
  ].join('\n');
};

/** Returns the go.mod of a program of another module that is built with the versions of `goMod`. */
export const wrapWithVersions = (goMod: string, requirement: string): string =>
  goMod.replace(/^require k8s\.io\/kubernetes .*$/m, `require ${requirement}`);

/** Returns the go.mod of a program that is built with the versions of its own module. */
export const wrapModule = (requirement: string, goVersion: string): string =>
  `module program\n\ngo ${goVersion}\n\nrequire ${requirement}\n`;
