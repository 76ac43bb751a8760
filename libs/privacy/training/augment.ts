import type { Category, Span } from '../src/span.ts';
import type { Example } from './examples.ts';
import { exampleFrom, fillTemplate, type Part } from './fill-template.ts';
import { NAMELESS_TEXTS, TEMPLATES } from './lists.ts';
import type { Random } from './random.ts';
import type { Values } from './fill-template.ts';

/**
 * Replaces a share of the names in an example by other values. Equal names that are replaced get
 * the same value.
 */
const replaceNames = (example: Example, values: Values, random: Random, share: number): Example => {
  const spans = [
    ...example.names.map((span) => ({ ...span, isTaken: false })),
    ...example.taken.map((span) => ({ ...span, isTaken: true })),
    ...example.free.map((span) => ({ ...span, isTaken: true, category: undefined })),
  ].toSorted((a, b) => a.start - b.start);
  const valueByText = new Map<string, string>();
  const parts: Part[] = [];
  let offset = 0;
  for (const { start, end, category, isTaken } of spans) {
    if (start < offset) continue;
    parts.push({ text: example.text.slice(offset, start) });
    const text = example.text.slice(start, end);
    const change = category !== undefined && !isTaken && random.chance(share);
    const value = valueByText.get(text) ?? (change ? similarValue(text, category, values) : text);
    if (change) valueByText.set(text, value);
    parts.push(category === undefined ? { text } : { text: value, category, isTaken });
    offset = end;
  }
  parts.push({ text: example.text.slice(offset) });
  return { ...exampleFrom(parts), unknown: example.unknown };
};

const similarValue = (text: string, category: Category, values: Values): string => {
  if (category === 'ORG') return values.org();
  if (category === 'LOCATION') return text.length < 3 ? text : values.place();
  if (category === 'ADDRESS') {
    if (/^[\d\s-]+$/.test(text)) return values.zip();
    return /\n|,/.test(text) ? values.address() : values.street();
  }
  if (/\s/.test(text)) return values.person();
  return values.given();
};

const recase = (example: Example, isUpper: boolean): Example => {
  const text = isUpper ? example.text.toUpperCase() : example.text.toLowerCase();
  return text.length === example.text.length ? { ...example, text } : example;
};

/** Removes some of the structured spans, to simulate values that the detectors miss. */
const dropTaken = (example: Example, random: Random): Example => {
  const dropped = example.taken.filter(() => random.chance(0.1));
  return { ...example, taken: example.taken.filter((span) => !dropped.includes(span)) };
};

export const varyCase = (example: Example, random: Random): Example => {
  const roll = random.next();
  if (roll < 0.22) return recase(example, false);
  return roll < 0.26 ? recase(example, true) : example;
};

export const varyTemplate = (
  group: readonly Example[],
  count: number,
  values: Values,
  random: Random,
): Example[] =>
  Array.from({ length: count }, () =>
    dropTaken(varyCase(replaceNames(random.pick(group), values, random, 0.85), random), random),
  );

export const varyText = (example: Example, values: Values, random: Random): Example =>
  varyCase(replaceNames(example, values, random, 0.5), random);

/** Number of times each text without names is filled, per filling of the templates with names. */
const NAMELESS_ROUNDS = 2;
const PROMPT_ROUNDS = 2;

export const fillTemplates = (
  rounds: number,
  prompts: readonly string[],
  values: Values,
  random: Random,
): Example[] => {
  const filled = Array.from({ length: rounds }, () =>
    TEMPLATES.map((template) => {
      const example = varyCase(fillTemplate(template, values, random), random);
      return random.chance(0.25) ? addNamelessText(example, values, random) : example;
    }),
  ).flat();
  const fillAll = (templates: readonly string[], times: number): Example[] =>
    Array.from({ length: times * rounds }, () =>
      templates.map((template) => fillTemplate(template, values, random)),
    ).flat();
  return [
    ...filled,
    ...fillAll(NAMELESS_TEXTS, NAMELESS_ROUNDS),
    ...fillAll(prompts, PROMPT_ROUNDS),
  ];
};

const addNamelessText = (example: Example, values: Values, random: Random): Example => {
  const namelessText = fillTemplate(random.pick(NAMELESS_TEXTS), values, random).text;
  const gap = random.pick([' ', '\n', '\n\n', '\n- ']);
  if (random.chance(0.5)) return { ...example, text: example.text + gap + namelessText };
  const offset = namelessText.length + gap.length;
  const shift = (span: Span): Span => ({
    ...span,
    start: span.start + offset,
    end: span.end + offset,
  });
  return {
    ...example,
    text: namelessText + gap + example.text,
    names: example.names.map(shift),
    taken: example.taken.map(shift),
  };
};
