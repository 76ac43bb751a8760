import type { Row } from '../bench/evaluation.ts';
import type { Category, Span } from '../src/span.ts';
import { NAME_CATEGORIES } from '../src/name/find-path.ts';

/**
 * A labelled training text. `taken` contains the structured spans; in the ranges of `free`, any
 * label counts as correct.
 */
export type Example = {
  text: string;
  names: Span[];
  taken: Span[];
  free: { start: number; end: number }[];
  /**
   * Categories that may occur anywhere in the text, because the source of the text does not label
   * them.
   */
  unknown: readonly Category[];
};

const STRUCTURED_CATEGORIES: Record<string, Category> = {
  EMAIL: 'EMAIL',
  PHONE: 'PHONE',
  UNLABELLED_PHONE: 'PHONE',
  DATE_OF_BIRTH: 'DATE_OF_BIRTH',
  NATIONAL_ID: 'NATIONAL_ID',
  TAX_ID: 'TAX_ID',
  PASSPORT: 'PASSPORT',
  DRIVER_LICENSE: 'DRIVER_LICENSE',
  CREDIT_CARD: 'CREDIT_CARD',
  IBAN: 'IBAN',
  BANK_ACCOUNT: 'BANK_ACCOUNT',
  IP: 'IP',
  MAC: 'MAC',
  UNLABELLED_MAC: 'MAC',
  CRYPTO: 'CRYPTO',
  SECRET: 'SECRET',
};
const NAMES: Record<string, Category> = {
  PERSON: 'PERSON',
  ADDRESS: 'ADDRESS',
  ZIP: 'ADDRESS',
  ORG: 'ORG',
  LOCATION: 'LOCATION',
};
const UNSCORED_TYPES = new Set(['NRP', 'USERNAME']);

export const exampleOf = ({ text, spans }: Row, types: readonly string[]): Example => {
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const pick = (categories: Record<string, Category>): Span[] => {
    const found: Span[] = [];
    for (const { start, end, type } of sorted) {
      const category = categories[type];
      if (category !== undefined && start >= (found.at(-1)?.end ?? 0))
        found.push({ start, end, category });
    }
    return found;
  };
  const names = pick(NAMES);
  const isDisjoint = (span: Span): boolean =>
    names.every(({ start, end }) => span.end <= start || span.start >= end);
  return {
    text,
    names,
    taken: pick(STRUCTURED_CATEGORIES).filter(isDisjoint),
    free: sorted.filter(({ type }) => UNSCORED_TYPES.has(type)),
    unknown: NAME_CATEGORIES.filter(
      (category) => !types.includes(category) && category !== 'ADDRESS',
    ),
  };
};

/**
 * Returns the group of a row: its template, recognized by its first words, its document or its
 * block of tweets. Rows of one group must be in the same fold.
 */
export const groupOf = ({ id, corpus, text, spans }: Row): string => {
  if (corpus === 'btc') {
    const [, block = '', number = '0'] = /^(.*?)-?(\d+)$/.exec(id) ?? [];
    return `${block}-${Math.floor(Number(number) / 20)}`;
  }
  if (!/^(presidio|piianon)/.test(corpus)) return id;
  let wording = '';
  let offset = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start > offset) wording += `${text.slice(offset, start)} `;
    offset = Math.max(offset, end);
  }
  wording += text.slice(offset);
  return (wording.toLowerCase().match(/\p{L}+/gu) ?? []).slice(0, 6).join(' ');
};

/** Returns a hash that is the same in every run. */
export const hashText = (text: string): number => {
  let hash = 0x811c_9dc5 | 0;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x0100_0193);
  hash ^= hash >>> 16;
  return Math.imul(hash, 0x85eb_ca6b) >>> 8;
};
