import { isPerformancePageCurrent } from '../performance-table.ts';
import type { Rule } from '../tree.ts';

const PAGE = 'docs/performance.md';

export const performanceTable: Rule = (tree) =>
  !tree.paths.includes(PAGE) || isPerformancePageCurrent(tree)
    ? []
    : [{ path: PAGE, message: 'shows other figures than the results: npm run performance-table.' }];
