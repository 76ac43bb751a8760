import { syntaxOf, type Syntax } from '../syntax.ts';
import { isCode, isTest, type Rule } from '../tree.ts';

/** Files that may read the environment: configuration, and scripts that run before it is loaded. */
const MAY_READ = [
  /^apps\/[^/]+\/src\/config\.ts$/,
  /^(libs|tools)\/[^/]+\/src\/(.+\/)?config[^/]*\.ts$/,
  /^[^/]+\.config\.mjs$/,
  /^examples\//,
  /^tools\/[^/]+\/(bin|src)\/(.+\/)?[^/]+\.mjs$/,
];

/** Checks STYLE.md "One service": only configuration files read the environment. */
export const processEnv: Rule = (tree) =>
  tree.paths
    .filter((path) => isCode(path) && !isTest(path) && !MAY_READ.some((one) => one.test(path)))
    .flatMap((path) =>
      environmentReads(syntaxOf(tree, path)).map((line) => ({
        path,
        line,
        message: 'reads process.env: read it in a config file and pass the value.',
      })),
    );

const environmentReads = ({ members, imports }: Syntax): number[] => [
  ...members.filter(({ text }) => text === 'process.env').map(({ line }) => line),
  ...imports
    .filter(({ specifier, names }) => /^(node:)?process$/.test(specifier) && names.includes('env'))
    .map(({ line }) => line),
];
