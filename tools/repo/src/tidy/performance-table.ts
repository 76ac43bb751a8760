import { findStalePages } from '../performance-table.ts';
import type { Rule } from '../tree.ts';

export const performanceTable: Rule = (tree) =>
  findStalePages(tree).map((path) => ({
    path,
    message: 'shows other figures than the results: npm run performance-table.',
  }));
