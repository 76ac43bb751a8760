import type { Rule } from '../tree.ts';

const MAIN_LINES = 30;

/**
 * Checks STYLE.md "One service": main.ts has at most 30 lines, because it only loads the
 * configuration, creates the service and starts it.
 */
export const mainSize: Rule = (tree) =>
  tree.paths
    .filter((path) => /^apps\/[^/]+\/src\/main\.ts$/.test(path))
    .map((path) => ({ path, lines: tree.read(path).trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAIN_LINES)
    .map(({ path, lines }) => ({
      path,
      message: `has ${lines} lines, the limit is ${MAIN_LINES}: move work into service.ts.`,
    }));
