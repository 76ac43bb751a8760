import type { Clause } from '../domain/knowledge/search/plan-search.ts';
import { baseOf } from '../domain/knowledge/search/split-words.ts';
import type { BaseCounts } from '../domain/knowledge/search/term.ts';

/**
 * A clause as a tsquery over the index, whose lexemes begin with the number of their source: one
 * alternative for each source that can fulfil it. Undefined when none can.
 */
export const toTsquery = ({ all, any }: Clause, counts: BaseCounts): string | undefined => {
  const [first = NONE, ...rest] = all.map((lexeme) => sourcesWith(lexeme, counts));
  const sources = [...first].filter((no) => rest.every((having) => having.has(no)));
  const anySources = any.map((lexeme) => [lexeme, sourcesWith(lexeme, counts)] as const);
  const alternatives = sources.flatMap((no) => {
    const some = anySources.flatMap(([lexeme, having]) => (having.has(no) ? [lexeme] : []));
    if (any.length > 0 && some.length === 0) return [];
    const wanted = all.map((lexeme) => quote(no, lexeme)).join(' & ');
    if (some.length === 0) return [wanted];
    return [`${wanted} & (${some.map((lexeme) => quote(no, lexeme)).join(' | ')})`];
  });
  return alternatives.length === 0 ? undefined : alternatives.map((one) => `(${one})`).join(' | ');
};

const NONE: ReadonlySet<number> = new Set();

/** Numbers of the sources that may have a lexeme: bases are counted, and no marks or long words. */
const sourcesWith = (lexeme: string, counts: BaseCounts): ReadonlySet<number> => {
  const [word = lexeme] = lexeme.split('^');
  const base = word.endsWith('*') ? word : baseOf(word);
  return new Set((counts.get(base) ?? []).map(({ sourceNo }) => sourceNo));
};

/** Lexemes are letters, digits and marks of ours: nothing that would have to be escaped. */
const quote = (sourceNo: number, lexeme: string): string => `'${sourceNo}.${lexeme}'`;
