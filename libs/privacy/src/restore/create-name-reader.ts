import type { MaskedValue, PlaceholderTable } from '../mask/placeholders.ts';

type NameMatch = { masked: MaskedValue; end: number };

type NameReading = {
  /** Known names that start at the offset, in ascending order of length. */
  names: readonly NameMatch[];
  /** True if the text ends before it is clear whether a longer name starts at the offset. */
  isPartial: boolean;
};

/**
 * Finds the placeholder names of a table at an offset. May miss names that are added to the table
 * later.
 */
export type NameReader = {
  readonly firstUnits: ReadonlySet<number>;
  readonly hasNumbers: boolean;
  read(text: string, from: number): NameReading;
};

const UNDERSCORE = 95;
const BACKSLASH = 92;

/**
 * Maximum number of backslashes before an underscore: Markdown escapes it, and JSON escapes that
 * backslash.
 */
const BACKSLASHES_MAX = 2;

export function createNameReader(table: PlaceholderTable): NameReader {
  const allNames = [...table.names()];
  const lengths = [...new Set(allNames.map(({ length }) => length))].toSorted((a, b) => a - b);
  const lengthMax = lengths.at(-1) ?? 0;
  let sortedNames: readonly string[] | undefined;

  /**
   * Returns true if a longer name begins with `prefix`. Sorts the names at the first call,
   * because most responses never need it.
   */
  function hasLongerName(prefix: string): boolean {
    sortedNames ??= allNames.toSorted();
    let low = 0;
    let high = sortedNames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sortedNames[middle] as string) <= prefix) low = middle + 1;
      else high = middle;
    }
    return sortedNames[low]?.startsWith(prefix) === true;
  }

  return {
    firstUnits: new Set(allNames.map((name) => name.charCodeAt(0))),
    hasNumbers: table.hasNumbers,
    read(text, from) {
      const { name, ends } = readUpperCase(text, from, lengthMax);
      const end = endOf(name.length, from, ends);
      const names: NameMatch[] = [];
      for (const length of lengths) {
        if (length > name.length) break;
        const masked = table.find(name.slice(0, length));
        if (masked !== undefined) names.push({ masked, end: endOf(length, from, ends) });
      }
      const isPartial = name.length < lengthMax && mayContinue(text, end) && hasLongerName(name);
      return { names, isPartial };
    },
  };
}

function endOf(length: number, from: number, ends: readonly number[] | undefined): number {
  return ends === undefined || length === 0 ? from + length : (ends[length - 1] as number);
}

/**
 * Returns the characters at `from` that could be a name, in upper case and without escapes. If
 * there were escapes, `ends` contains the end offset of each character.
 */
function readUpperCase(
  text: string,
  from: number,
  lengthMax: number,
): { name: string; ends: readonly number[] | undefined } {
  let end = from;
  while (end - from < lengthMax && toUpperUnit(text.charCodeAt(end)) !== undefined) end += 1;
  if (end - from < lengthMax && skipBackslashes(text, end) > end)
    return readEscaped(text, from, lengthMax);
  return { name: text.slice(from, end).toUpperCase(), ends: undefined };
}

function readEscaped(
  text: string,
  from: number,
  lengthMax: number,
): { name: string; ends: readonly number[] } {
  let name = '';
  const ends: number[] = [];
  for (let offset = from; name.length < lengthMax; offset += 1) {
    offset = skipBackslashes(text, offset);
    const unit = toUpperUnit(text.charCodeAt(offset));
    if (unit === undefined) break;
    name += String.fromCharCode(unit);
    ends.push(offset + 1);
  }
  return { name, ends };
}

function skipBackslashes(text: string, from: number): number {
  let offset = from;
  while (offset - from < BACKSLASHES_MAX && text.charCodeAt(offset) === BACKSLASH) offset += 1;
  return text.charCodeAt(offset) === UNDERSCORE ? offset : from;
}

function mayContinue(text: string, from: number): boolean {
  if (text.length - from > BACKSLASHES_MAX) return false;
  for (let offset = from; offset < text.length; offset += 1)
    if (text.charCodeAt(offset) !== BACKSLASH) return false;
  return true;
}

/**
 * Returns the upper-case code of a character that can occur in names; undefined for others, and for
 * NaN after the end of the text.
 */
function toUpperUnit(unit: number): number | undefined {
  if (unit >= 97 && unit <= 122) return unit - 32;
  const isInName = (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === UNDERSCORE;
  return isInName ? unit : undefined;
}
