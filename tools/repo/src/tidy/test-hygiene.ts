import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Rule } from '../tree.ts';

const FOCUSED = /^(it|test|describe)(\.\w+)*\.only$/;
const FOCUSED_SHORT = new Set(['fit', 'fdescribe']);
const MOCKED_MODULE = /^jest\.(mock|doMock|unstable_mockModule)$/;

/**
 * Checks STYLE.md "Tests": no test is focused by `.only`, `fit` or `fdescribe`, and no module is
 * mocked.
 */
export const testHygiene: Rule = (tree) =>
  tree.paths
    .filter((path) => isCode(path) && isTest(path))
    .flatMap((path) => {
      const { members, identifiers } = syntaxOf(tree, path);
      const focused = [
        ...members.filter(({ text }) => FOCUSED.test(text)),
        ...identifiers.filter(({ text }) => FOCUSED_SHORT.has(text)),
      ];
      const mocked = members.filter(({ text }) => MOCKED_MODULE.test(text));
      return [
        ...focused.map(({ text, line }) => ({
          path,
          line,
          message: `has ${text}: the other tests would not run.`,
        })),
        ...mocked.map(({ text, line }) => ({
          path,
          line,
          message: `has ${text}: pass a fake as a dependency instead.`,
        })),
      ];
    });
