import { describe, expect, it } from '@jest/globals';
import { RELEASED_PATH } from '../sql-functions.ts';
import { formatFindings, treeOf } from '../tree.ts';
import { sqlFunctions } from './sql-functions.ts';

const FILE = 'apps/ledger/src/chain/store/find_head.sql';
const FIND_HEAD = `-- Finds a head.
CREATE OR REPLACE FUNCTION find_head(
  p_workspace text, p_at timestamptz
) RETURNS TABLE (id text, hash text) LANGUAGE plpgsql AS $$ BEGIN END $$;`;
const SIGNATURE =
  'ledger: find_head(p_workspace text, p_at timestamptz) RETURNS TABLE (id text, hash text)';

const findings = (files: Record<string, string>): string[] =>
  formatFindings(sqlFunctions(treeOf(files)));

describe('sqlFunctions', () => {
  it('accepts a file with the function of its name and a released signature', () => {
    expect(findings({ [FILE]: FIND_HEAD, [RELEASED_PATH]: `${SIGNATURE}\n` })).toEqual([]);
  });

  it.each([
    ['another name', FIND_HEAD.replace('find_head', 'find_heads')],
    ['two functions', `${FIND_HEAD}\n${FIND_HEAD}`],
    ['a function that is not replaced', FIND_HEAD.replace('OR REPLACE ', '')],
  ])('refuses a file with %s', (_what, sql) => {
    expect(findings({ [FILE]: sql })).toEqual([
      `${FILE} has to CREATE OR REPLACE one function, named as the file.`,
    ]);
  });

  it('refuses more than 8 parameters', () => {
    const parameters = Array.from({ length: 9 }, (_, n) => `p_${n} text`).join(', ');
    const sql = FIND_HEAD.replace(/p_workspace[^)]*/, parameters);
    expect(findings({ [FILE]: sql })).toEqual([
      `${FILE} has 9 parameters: pass one composite or JSON value.`,
    ]);
  });

  it.each([
    ['parameter', FIND_HEAD.replace('p_at timestamptz', 'p_at date')],
    ['result', FIND_HEAD.replace('hash text', 'hash bytea')],
  ])('refuses a changed %s of a released function', (_what, sql) => {
    expect(findings({ [FILE]: sql, [RELEASED_PATH]: `${SIGNATURE}\n` })).toEqual([
      expect.stringMatching(/^deploy\/released-sql-functions\.txt:1 has ledger: find_head\(/),
    ]);
  });

  it('accepts that a retired function is deleted', () => {
    expect(findings({ [RELEASED_PATH]: `retired ${SIGNATURE}\n` })).toEqual([]);
  });
});
