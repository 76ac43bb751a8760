import type { Clause } from '../search/plan-search.ts';
import { baseOf } from '../search/split-words.ts';
import type { BaseCounts } from '../search/term.ts';

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
 * Returns the sources that can contain a lexeme. The counts do not distinguish how often a base
 * occurs in a chunk, so that a returned source may still contain no match.
 */
const sourcesWith = (lexeme: string, counts: BaseCounts): ReadonlySet<number> => {
  const [word = lexeme] = lexeme.split('^');
  const base = word.endsWith('*') ? word : baseOf(word);
  return new Set((counts.get(base) ?? []).map(({ sourceNo }) => sourceNo));
};

/**
 * Returns a quoted lexeme of a source. It needs no escaping, because lexemes consist of letters,
 * digits, `*` and `^`.
 */
const quote = (sourceNo: number, lexeme: string): string => `'${sourceNo}.${lexeme}'`;
