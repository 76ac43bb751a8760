import { splitTerms } from './split-terms.ts';

const MAX_LABEL_CHARACTERS = 60;

/**
 * What `text` gives as the value of `name`: `2 days` for "delivery time" in "Delivery time: 2
 * days, price: 5". Names are compared by their words, so `deliveryTime` finds the same.
 */
export function findLabelled(text: string, name: string): string | undefined {
  const wanted = splitTerms(name).join(' ');
  if (wanted === '') return undefined;
  for (const part of text.split(/[;,()](?=\s|$)|\s\(/u)) {
    const colon = part.search(/[:=]/u);
    if (colon < 1 || colon > MAX_LABEL_CHARACTERS) continue;
    const value = part.slice(colon + 1).trim();
    if (value !== '' && splitTerms(part.slice(0, colon)).join(' ') === wanted) return value;
  }
  return undefined;
}

/** The numbers that `text` writes in digits, in order; `1,200.50` is one number. */
export function listNumbers(text: string): number[] {
  const written = text.match(/(?<![\p{L}\p{N}.])-?\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?/gu) ?? [];
  return written.map((digits) => Number(digits.replaceAll(',', '')));
}

/** Those of `options` that are texts or numbers which `text` names, in the order of the text. */
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
