import { syntaxOf } from '../syntax.ts';
import { isCode, type Rule } from '../tree.ts';

const ERROR_LINES = 70;

/** Checks STYLE.md "Size": a function has at most 70 lines. `describe` blocks are exempt. */
export const functionSize: Rule = (tree) =>
  tree.paths.filter(isCode).flatMap((path) =>
    syntaxOf(tree, path)
      .functions.filter(({ lines, caller }) => lines > ERROR_LINES && !/^describe\b/.test(caller))
      .map(({ name, line, lines }) => ({
        path,
        line,
        message: `${name} has ${lines} lines, the limit is ${ERROR_LINES}: split it.`,
      })),
  );
