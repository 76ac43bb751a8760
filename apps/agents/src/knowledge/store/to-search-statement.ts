import type { Clause, SearchPlan } from '../search/plan-search.ts';
import type { BaseCounts } from '../search/term.ts';
import { toTsquery } from './to-tsquery.ts';

/**
 * Returns the SQL statement that selects the best `limit` chunks for a search plan, best first, or
 * undefined if no source can match.
 */
export const toSearchStatement = (
  { complete, sampled }: SearchPlan,
  counts: BaseCounts,
  limit: number,
): { text: string; values: unknown[] } | undefined => {
  const values: unknown[] = [];
  const addParam = (value: unknown): string => `$${values.push(value)}`;
  const branches: string[] = [];
  const add = (clause: Clause, toSelect: (query: string) => string): void => {
    const query = toTsquery(clause, counts);
    if (query !== undefined) branches.push(toSelect(`${ENTRIES} @@ ${addParam(query)}::tsquery`));
  };
  for (const { clause, weight } of complete) {
    add(clause, (found) => {
      return `SELECT chunk_id, ${addParam(weight)}::float8 AS complete, 0 AS sampled FROM ${found}`;
    });
  }
  for (const { clause, weight, limit: rowLimit } of sampled) {
    add(clause, (found) => {
      const sampledOf = `${addParam(weight)}::float8 AS sampled`;
      return `(SELECT chunk_id, 0 AS complete, ${sampledOf} FROM ${found} LIMIT ${rowLimit})`;
    });
  }
  if (branches.length === 0) return undefined;
  const text = `
    SELECT chunk_id AS id FROM (${branches.join(' UNION ALL ')}) AS found
    GROUP BY chunk_id ORDER BY greatest(sum(complete), max(sampled)) DESC, chunk_id
    LIMIT ${addParam(limit)}`;
  return { text, values };
};

const ENTRIES = 'knowledge_entry WHERE knowledge_lexemes(search)';
