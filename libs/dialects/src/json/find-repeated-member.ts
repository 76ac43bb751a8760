import { readMembers } from './read-members.ts';

/** Letters of a key can hide behind escapes: \u0061 to \u007a. */
const ESCAPED_LETTER = /\\u00[67]/;

/**
 * The first of `names` that stands more than once in the outermost object of a JSON text. Parsers
 * differ in which of the two counts, so what was certified need not be what ran. Nearly every body
 * is cleared by a search for the names; only a suspicious one is read member by member.
 */
export const findRepeatedMember = (
  source: string,
  names: readonly string[],
): string | undefined => {
  if (!ESCAPED_LETTER.test(source) && !names.some((name) => isTwiceIn(source, name))) {
    return undefined;
  }
  const keys = readMembers(source).map(({ key }) => key);
  return names.find((name) => keys.indexOf(name) !== keys.lastIndexOf(name));
};

const isTwiceIn = (source: string, name: string): boolean => {
  const quoted = `"${name}"`;
  const first = source.indexOf(quoted);
  return first !== -1 && source.indexOf(quoted, first + quoted.length) !== -1;
};
