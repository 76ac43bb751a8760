import process from 'node:process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatFindings, openTree, type Finding, type Tree } from './tree.ts';

/**
 * File with the signatures of the SQL functions that the last release calls. The last release still
 * runs while the next one is deployed.
 */
export const RELEASED_PATH = 'deploy/released-sql-functions.txt';

export type SqlFunctionFile = {
  path: string;
  functions: readonly { name: string; signature: string; parameterCount: number }[];
};

const FUNCTION_FILE = /^apps\/([\w-]+)\/src\/.*\.sql$/;
const CREATES =
  /^CREATE OR REPLACE FUNCTION\s+(\w+)\s*\(([\s\S]*?)\)\s*(RETURNS[\s\S]*?)\s+LANGUAGE\b/gm;

export const findSqlFunctions = (tree: Tree): SqlFunctionFile[] =>
  tree.paths.flatMap((path) => {
    const [, service] = FUNCTION_FILE.exec(path) ?? [];
    if (service === undefined) return [];
    const functions = [...tree.read(path).matchAll(CREATES)].map(
      ([, name = '', parameters = '', result = '']) => ({
        name,
        signature: toLine(`${service}: ${name}(${parameters.trim()}) ${result}`),
        parameterCount: parameters.trim() === '' ? 0 : parameters.split(',').length,
      }),
    );
    return [{ path, functions }];
  });

const toLine = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')');

/** Returns the released signatures that no file declares and that are not marked as retired. */
export const findMissingSignatures = (tree: Tree): Finding[] => {
  const declared = new Set(
    findSqlFunctions(tree).flatMap(({ functions }) => functions.map(({ signature }) => signature)),
  );
  return tree
    .read(RELEASED_PATH)
    .split('\n')
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => text !== '' && !text.startsWith('retired ') && !declared.has(text))
    .map(({ text, line }) => ({
      path: RELEASED_PATH,
      line,
      message:
        `has ${text}, which the previous release calls: keep it and give the changed function ` +
        'another name, or begin the line with "retired" if no running release calls it.',
    }));
};

/**
 * Part of `npm run baseline`: makes the current signatures those of the last release. Throws if a
 * released signature is missing.
 */
const main = (): void => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const tree = openTree(root);
  const findings = formatFindings(findMissingSignatures(tree));
  if (findings.length > 0) throw new Error(findings.join('\n'));
  const signatures = findSqlFunctions(tree).flatMap(({ functions }) =>
    functions.map(({ signature }) => signature),
  );
  writeFileSync(`${root}${RELEASED_PATH}`, `${signatures.toSorted().join('\n')}\n`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
