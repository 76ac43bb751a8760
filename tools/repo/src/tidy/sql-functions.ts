import { posix } from 'node:path';
import { findMissingSignatures, findSqlFunctions, RELEASED_PATH } from '../sql-functions.ts';
import type { Rule } from '../tree.ts';

const PARAMETERS_MAX = 8;

/**
 * Checks that each SQL file creates one function and is named after it, that no function has more
 * than 8 parameters, and that the functions that the previous release calls still exist.
 */
export const sqlFunctions: Rule = (tree) => [
  ...findSqlFunctions(tree).flatMap(({ path, functions: [first, ...others] }) => {
    if (first?.name !== posix.basename(path, '.sql') || others.length > 0) {
      return [{ path, message: 'has to CREATE OR REPLACE one function, named as the file.' }];
    }
    if (first.parameterCount > PARAMETERS_MAX) {
      return [
        {
          path,
          message: `has ${first.parameterCount} parameters: pass one composite or JSON value.`,
        },
      ];
    }
    return [];
  }),
  ...(tree.paths.includes(RELEASED_PATH) ? findMissingSignatures(tree) : []),
];
