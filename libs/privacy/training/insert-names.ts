import type { Category, Span } from '../src/span.ts';
import type { Example } from './examples.ts';
import type { Random } from './random.ts';
import type { Values } from './fill-template.ts';

type Slot = {
  pattern: RegExp;
  /** With `word`, the first word of the match is retained; with an empty text, nothing is. */
  retained: string;
  category: Category;
  value: (values: Values, random: Random) => string;
  suffix?: string;
};

const person = (values: Values, random: Random): string =>
  random.chance(0.5) ? values.given() : values.person();
const surname = (values: Values): string => values.surname();

const SLOTS: readonly Slot[] = [
  { pattern: /\b(?:he|she|they|we|you)\b/giu, retained: '', category: 'PERSON', value: person },
  {
    pattern: /\b(?:him|them|us|me|yourself|someone)\b/giu,
    retained: '',
    category: 'PERSON',
    value: person,
  },
  {
    pattern: /\b(?:his|their|my|our|your)\b(?=\s\p{L})/giu,
    retained: '',
    category: 'PERSON',
    value: person,
    suffix: "'s",
  },
  { pattern: /\b(?:he|she)\b/giu, retained: '', category: 'PERSON', value: surname },
  {
    pattern: /\b(?:in|to|from|near|into|around) (?:the|a|an|my|your|this|our|his|her) \p{Ll}+/giu,
    retained: 'word',
    category: 'LOCATION',
    value: ({ place }) => place(),
  },
  {
    pattern: /\b(?:at|on|to|from) (?:the|a|my|your|this|our|his|her) \p{Ll}+/giu,
    retained: 'word',
    category: 'ADDRESS',
    value: ({ address, street }, random) => (random.chance(0.5) ? address() : street()),
  },
  {
    pattern: /\b(?:at|by|for|with|from|of) (?:the|a|my|your|this|our|his|her) \p{Ll}+/giu,
    retained: 'word',
    category: 'ORG',
    value: ({ org }) => org(),
  },
  {
    pattern: /(?:^|(?<=[.!?]\s))(?:it|this|they|we)\b/giu,
    retained: '',
    category: 'ORG',
    value: ({ org }) => org(),
  },
];

/**
 * Replaces a pronoun or noun that matches a random slot by a name. Returns the example unchanged if
 * nothing matches that slot.
 */
export const insertName = (example: Example, values: Values, random: Random): Example => {
  const slot = random.pick(SLOTS);
  const spans = [...example.names, ...example.taken, ...example.free];
  const isFree = (start: number, end: number): boolean =>
    !/[@#\w/.-]/.test(example.text.charAt(start - 1)) &&
    spans.every((span) => span.end <= start || span.start >= end);
  const matches = [...example.text.matchAll(slot.pattern)].filter(({ index, 0: match }) =>
    isFree(index, index + match.length),
  );
  if (matches.length === 0) return example;
  const { index, 0: match } = random.pick(matches);
  const prefix = slot.retained === '' ? '' : match.slice(0, match.indexOf(' ') + 1);
  const value = slot.value(values, random);
  const start = index + prefix.length;
  const end = start + value.length;
  const offset = end + (slot.suffix ?? '').length - (index + match.length);
  const shift = <T extends { start: number; end: number }>(span: T): T =>
    span.start < index ? span : { ...span, start: span.start + offset, end: span.end + offset };
  const name: Span = { start, end, category: slot.category };
  return {
    ...example,
    text:
      example.text.slice(0, start) +
      value +
      (slot.suffix ?? '') +
      example.text.slice(index + match.length),
    names: [...example.names.map(shift), name].toSorted((a, b) => a.start - b.start),
    taken: example.taken.map(shift),
    free: example.free.map(shift),
  };
};
