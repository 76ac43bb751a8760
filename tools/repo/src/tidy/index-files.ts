import { syntaxOf } from '../syntax.ts';
import { isCode, type Finding, type Rule } from '../tree.ts';

/**
 * Checks STYLE.md "Modules": index.ts exists only in the `src/` folder of a project, and only
 * libs/contracts has `export *`.
 */
export const indexFiles: Rule = (tree) =>
  tree.paths.filter(isCode).flatMap((path) => {
    const findings: Finding[] = [];
    if (
      /(^|\/)index\.tsx?$/.test(path) &&
      !/^(apps|libs|tools)\/[^/]+\/src\/index\.ts$/.test(path)
    ) {
      findings.push({
        path,
        message: 'is not at the root of a library: import from the file itself.',
      });
    }
    if (path.startsWith('libs/contracts/')) return findings;
    const stars = syntaxOf(tree, path).starExports;
    return [
      ...findings,
      ...stars.map((line) => ({ path, line, message: 'has "export *": list the names.' })),
    ];
  });
