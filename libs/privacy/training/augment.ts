import type { Category, Span } from '../src/span.ts';
import type { Example } from './examples.ts';
import type { Random } from './random.ts';
import { NOTHING, TEMPLATES } from './templates.ts';
import type { Values } from './values.ts';

type Part = { text: string; category?: Category; isTaken?: boolean };

const DOMAINS = ['example.com', 'gmail.com', 'mail.de', 'acme.io', 'yahoo.co.uk'];

const exampleFrom = (parts: readonly Part[]): Example => {
  const names: Span[] = [];
  const taken: Span[] = [];
  let text = '';
  for (const part of parts) {
    const start = text.length;
    text += part.text;
    if (part.category === undefined) continue;
    const span = { start, end: text.length, category: part.category };
    (part.isTaken ? taken : names).push(span);
  }
  return { text, names, taken, free: [], unknown: [] };
};

/** A template with values put in. */
const fillTemplate = (template: string, values: Values, random: Random): Example => {
  const { noise } = values;
  const known = new Map<string, string>();
  const digits = (count: number): string =>
    Array.from({ length: count }, () => random.below(10)).join('');
  const valueOf = (letter: string): Part => {
    switch (letter) {
      case 'P':
        return { text: values.person(), category: 'PERSON' };
      case 'G':
        return { text: values.given(), category: 'PERSON' };
      case 'S':
        return { text: values.surname(), category: 'PERSON' };
      case 'A':
        return { text: values.address(), category: 'ADDRESS' };
      case 'T':
        return { text: values.street(), category: 'ADDRESS' };
      case 'Z':
        return { text: values.zip(), category: 'ADDRESS' };
      case 'C':
        return { text: values.place(), category: 'LOCATION' };
      case 'O':
        return { text: values.org(), category: 'ORG' };
      case 'J':
        return { text: values.job() };
      case 'E':
        return {
          text: `${values.given().toLowerCase()}@${random.pick(DOMAINS)}`,
          category: 'EMAIL',
          isTaken: true,
        };
      case 'N':
        return {
          text: `+${digits(2)} ${digits(3)} ${digits(6)}`,
          category: 'PHONE',
          isTaken: true,
        };
      case 'D':
        return { text: `20${digits(2)}-0${1 + random.below(9)}-1${random.below(10)}` };
      case 'w':
        return { text: noise.word() };
      case 'W':
        return { text: noise.capital() };
      case 'Y':
        return { text: noise.capital() + (random.chance(0.7) ? noise.capital() : '') };
      case 'i':
        return { text: noise.identifier() };
      case 'X':
        return { text: noise.acronym() };
      case 'h':
        return { text: noise.hex() };
      case 'n':
        return { text: noise.number() };
      default:
        return { text: digits(1 + random.below(8)) };
    }
  };
  const parts = template.split(/(\{[A-Za-z#]\d?\})/).map((text): Part => {
    if (!/^\{[A-Za-z#]\d?\}$/.test(text)) return { text };
    const part = valueOf(text.charAt(1));
    const same = known.get(text);
    if (same !== undefined && text.length > 3) return { ...part, text: same };
    known.set(text, part.text);
    return part;
  });
  const isRecord = /^[[{<|]|^\w+[,;|]\w+|^[A-Z]+ |^\w+=|^'/.test(template);
  return exampleFrom(isRecord ? parts.map((part) => oneLine(part)) : parts);
};

const oneLine = (part: Part): Part =>
  part.category === 'ADDRESS' ? { ...part, text: part.text.replaceAll(/\s*\n\s*/g, ', ') } : part;

/** The example with other values in place of its names. */
const substitute = (example: Example, values: Values, random: Random, part: number): Example => {
  const spans = [
    ...example.names.map((span) => ({ ...span, isTaken: false })),
    ...example.taken.map((span) => ({ ...span, isTaken: true })),
    ...example.free.map((span) => ({ ...span, isTaken: true, category: undefined })),
  ].toSorted((a, b) => a.start - b.start);
  const known = new Map<string, string>();
  const parts: Part[] = [];
  let at = 0;
  for (const { start, end, category, isTaken } of spans) {
    if (start < at) continue;
    parts.push({ text: example.text.slice(at, start) });
    const text = example.text.slice(start, end);
    const change = category !== undefined && !isTaken && random.chance(part);
    const value = known.get(text) ?? (change ? similar(text, category, values) : text);
    if (change) known.set(text, value);
    parts.push(category === undefined ? { text } : { text: value, category, isTaken });
    at = end;
  }
  parts.push({ text: example.text.slice(at) });
  return { ...exampleFrom(parts), unknown: example.unknown };
};

/** Another value of the same kind and about the same form. */
const similar = (text: string, category: Category, values: Values): string => {
  if (category === 'ORG') return values.org();
  if (category === 'LOCATION') return text.length < 3 ? text : values.place();
  if (category === 'ADDRESS') {
    if (/^[\d\s-]+$/.test(text)) return values.zip();
    return /\n|,/.test(text) ? values.address() : values.street();
  }
  if (/\s/.test(text)) return values.person();
  return values.given();
};

/** Lower or upper case throughout; lengths stay, or the example stays. */
const recase = (example: Example, isUpper: boolean): Example => {
  const text = isUpper ? example.text.toUpperCase() : example.text.toLowerCase();
  return text.length === example.text.length ? { ...example, text } : example;
};

/** Drops some taken spans, as detectors miss some. */
const forget = (example: Example, random: Random): Example => {
  const lost = example.taken.filter(() => random.chance(0.1));
  return { ...example, taken: example.taken.filter((span) => !lost.includes(span)) };
};

const varyCase = (example: Example, random: Random): Example => {
  const one = random.next();
  if (one < 0.22) return recase(example, false);
  return one < 0.26 ? recase(example, true) : example;
};

/** Variants of a group of examples that share a template: `count` in all. */
export const varyTemplate = (
  group: readonly Example[],
  count: number,
  values: Values,
  random: Random,
): Example[] =>
  Array.from({ length: count }, () =>
    forget(varyCase(substitute(random.pick(group), values, random, 0.85), random), random),
  );

/** A free text with half its names replaced, now and then in lower case. */
export const varyText = (example: Example, values: Values, random: Random): Example =>
  varyCase(substitute(example, values, random, 0.5), random);

/** `rounds` fillings of every template of ours, and the texts without names. */
export const fillTemplates = (rounds: number, values: Values, random: Random): Example[] => {
  const filled = Array.from({ length: rounds }, () =>
    TEMPLATES.map((template) => {
      const example = varyCase(fillTemplate(template, values, random), random);
      return random.chance(0.25) ? surround(example, values, random) : example;
    }),
  ).flat();
  const nothing = Array.from({ length: 2 * rounds }, () =>
    NOTHING.map((template) => fillTemplate(template, values, random)),
  ).flat();
  return [...filled, ...nothing];
};

/** Puts a text without names before or after. */
const surround = (example: Example, values: Values, random: Random): Example => {
  const other = fillTemplate(random.pick(NOTHING), values, random).text;
  const gap = random.pick([' ', '\n', '\n\n', '\n- ']);
  if (random.chance(0.5)) return { ...example, text: example.text + gap + other };
  const by = other.length + gap.length;
  const move = (span: Span): Span => ({ ...span, start: span.start + by, end: span.end + by });
  return {
    ...example,
    text: other + gap + example.text,
    names: example.names.map(move),
    taken: example.taken.map(move),
  };
};
