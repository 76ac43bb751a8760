import { splitTerms } from './split-terms.ts';

const MAX_LABEL_CHARACTERS = 60;

/**
 * Returns the value that `text` gives for `name`: `2 days` for "delivery time" in "Delivery time: 2
 * days, price: 5". Names are compared by terms, so `deliveryTime` matches too.
 */
export function findLabelled(text: string, name: string): string | undefined {
  const wantedTerms = splitTerms(name).join(' ');
  if (wantedTerms === '') return undefined;
  for (const part of text.split(/[;,()](?=\s|$)|\s\(/u)) {
    const colon = part.search(/[:=]/u);
    if (colon < 1 || colon > MAX_LABEL_CHARACTERS) continue;
    const value = part.slice(colon + 1).trim();
    if (value !== '' && splitTerms(part.slice(0, colon)).join(' ') === wantedTerms) return value;
  }
  return undefined;
}

export const listNumbers = (text: string): number[] =>
  locateNumbers(text).map(({ value }) => value);

export function listAllNumbers(text: string): { value: number; after: string }[] {
  const numberWords = [...text.matchAll(NUMBER_WORDS)].map((match) =>
    toLocated(match, parseNumberWords(match[0])),
  );
  return [...locateNumbers(text), ...numberWords]
    .toSorted((one, other) => one.at - other.at)
    .map(({ value, end }) => ({ value, after: text.slice(end) }));
}

type LocatedNumber = { readonly value: number; readonly at: number; readonly end: number };

function locateNumbers(text: string): LocatedNumber[] {
  const written = text.matchAll(/(?<![\p{L}\p{N}.])-?\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?/gu);
  return [...written].map((match) => toLocated(match, Number(match[0].replaceAll(',', ''))));
}

const toLocated = (match: RegExpMatchArray, value: number): LocatedNumber => ({
  value,
  at: match.index!,
  end: match.index! + match[0].length,
});

// "One" alone is usually not a number ("one of them").
const SMALL =
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen';
const SMALL_NUMBERS = new Map(SMALL.split(' ').map((word, index) => [word, index + 2]));
const TENS = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index) => [word, (index + 2) * 10]),
);
const NUMBER_WORDS = new RegExp(
  String.raw`\b(?:(?:${[...TENS.keys()].join('|')})(?:-(?:one|${SMALL.replaceAll(' ', '|')}))?|` +
    String.raw`${SMALL.replaceAll(' ', '|')})\b(?! (?:hundred|thousand|million|billion))`,
  'giu',
);

const parseNumberWords = (words: string): number =>
  words
    .toLowerCase()
    .split('-')
    .reduce((sum, word) => sum + (TENS.get(word) ?? SMALL_NUMBERS.get(word) ?? 1), 0);

/** Returns the texts and numbers among `options` that occur in `text`, in text order. */
export function findNamedOptions(text: string, options: readonly unknown[]): unknown[] {
  const words = ` ${toWords(text)} `;
  return options
    .map((option) => ({ option, at: words.indexOf(` ${toWords(option)} `) }))
    .filter(({ at, option }) => at >= 0 && toWords(option) !== '')
    .toSorted((one, other) => one.at - other.at)
    .map(({ option }) => option);
}

function toWords(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const spaced = String(value).replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return (spaced.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}
