import type { Category, Span } from '../src/span.ts';
import type { Example } from './examples.ts';
import { exampleFrom, fillTemplate, type Part } from './fill-template.ts';
import type { Random } from './random.ts';
import { NOTHING, TEMPLATES } from './templates.ts';
import type { Values } from './values.ts';

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

/** Now and then in lower or upper case throughout. */
export const varyCase = (example: Example, random: Random): Example => {
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

/** How often each text without names is filled for one filling of a template with names. */
const NOTHING_ROUNDS = 2;
const PROMPT_ROUNDS = 1;

/** `rounds` fillings of every template of ours, the texts without names and the prompts. */
export const fillTemplates = (
  rounds: number,
  prompts: readonly string[],
  values: Values,
  random: Random,
): Example[] => {
  const filled = Array.from({ length: rounds }, () =>
    TEMPLATES.map((template) => {
      const example = varyCase(fillTemplate(template, values, random), random);
      return random.chance(0.25) ? surround(example, values, random) : example;
    }),
  ).flat();
  const fillAll = (templates: readonly string[], times: number): Example[] =>
    Array.from({ length: times * rounds }, () =>
      templates.map((template) => fillTemplate(template, values, random)),
    ).flat();
  return [...filled, ...fillAll(NOTHING, NOTHING_ROUNDS), ...fillAll(prompts, PROMPT_ROUNDS)];
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
