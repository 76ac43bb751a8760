import type { Clause, SearchPlan } from '../search/plan-search.ts';
import type { BaseCounts } from '../search/term.ts';
import { baseOf } from '../search/split-words.ts';

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
      const sampledColumn = `${addParam(weight)}::float8 AS sampled`;
      return `(SELECT chunk_id, 0 AS complete, ${sampledColumn} FROM ${found} LIMIT ${rowLimit})`;
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

/**
 * Returns a tsquery with one alternative per source that can match; each source needs its own,
 * because lexemes begin with the number of their source. Returns undefined if no source can match.
 */
export const toTsquery = ({ all, any }: Clause, counts: BaseCounts): string | undefined => {
  const [first = NO_SOURCES, ...rest] = all.map((lexeme) => sourcesWith(lexeme, counts));
  const sources = [...first].filter((no) => rest.every((having) => having.has(no)));
  const anySources = any.map((lexeme) => [lexeme, sourcesWith(lexeme, counts)] as const);
  const alternatives = sources.flatMap((no) => {
    const anyAlternatives = anySources.flatMap(([lexeme, having]) =>
      having.has(no) ? [lexeme] : [],
    );
    if (any.length > 0 && anyAlternatives.length === 0) return [];
    const conjunction = all.map((lexeme) => quote(no, lexeme)).join(' & ');
    if (anyAlternatives.length === 0) return [conjunction];
    return [`${conjunction} & (${anyAlternatives.map((lexeme) => quote(no, lexeme)).join(' | ')})`];
  });
  return alternatives.length === 0
    ? undefined
    : alternatives.map((alternative) => `(${alternative})`).join(' | ');
};

const NO_SOURCES: ReadonlySet<number> = new Set();

/**
 * Returns the sources that can contain a lexeme. It does not check how often a base occurs in a
 * chunk, so that a returned source may still contain no match.
 */
const sourcesWith = (lexeme: string, counts: BaseCounts): ReadonlySet<number> => {
  const [word = lexeme] = lexeme.split('^');
  const base = word.endsWith('*') ? word : baseOf(word);
  return new Set((counts.get(base) ?? []).map(({ sourceNo }) => sourceNo));
};

/**
 * Returns a quoted lexeme of a source. It needs no escaping, because lexemes consist of letters,
 * combining marks, digits, `*` and `^`.
 */
const quote = (sourceNo: number, lexeme: string): string => `'${sourceNo}.${lexeme}'`;
