import type { Category, Span } from '../src/span.ts';
import type { Example } from './examples.ts';
import type { Random } from './random.ts';
import { createAddresses, createStreets, createZips } from './addresses.ts';
import type { Lists } from './lists.ts';
import { createCourts, createOrgs } from './orgs.ts';
import { createBlender, createNames, createNoise } from './names.ts';
import type { Names, Noise } from './names.ts';

export type Part = { text: string; category?: Category; isTaken?: boolean };

export const exampleFrom = (parts: readonly Part[]): Example => {
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

/**
 * Fills the slots of a template. Slots with the same letter and digit, such as `{P1}`, get the same
 * value within one filling.
 */
export const fillTemplate = (template: string, values: Values, random: Random): Example => {
  const valueBySlot = new Map<string, string>();
  const parts = template.split(/(\{[A-Za-z#]\d?\})/).map((text): Part => {
    if (!/^\{[A-Za-z#]\d?\}$/.test(text)) return { text };
    const letter = text.charAt(1);
    const part = nameFor(letter, values) ?? otherFor(letter, values, random);
    const same = valueBySlot.get(text);
    if (same !== undefined && text.length > 3) return { ...part, text: same };
    valueBySlot.set(text, part.text);
    return part;
  });
  const isRecord = /^[[{<|]|^\w+[,;|]\w+|^[A-Z]+ |^\w+=|^'/.test(template);
  return exampleFrom(isRecord ? parts.map((part) => oneLine(part)) : parts);
};

const oneLine = (part: Part): Part =>
  part.category === 'ADDRESS' ? { ...part, text: part.text.replaceAll(/\s*\n\s*/g, ', ') } : part;

const nameFor = (letter: string, values: Values): Part | undefined => {
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
    case 'L':
      return { text: values.court(), category: 'ORG' };
    case 'I':
      return { text: values.initials(), category: 'PERSON' };
    default:
      return undefined;
  }
};

const DOMAINS = ['example.com', 'gmail.com', 'mail.de', 'acme.io', 'yahoo.co.uk'];

const otherFor = (letter: string, values: Values, random: Random): Part => {
  const { noise } = values;
  const digits = (count: number): string =>
    Array.from({ length: count }, () => random.integerBelow(10)).join('');
  switch (letter) {
    case 'E':
      return {
        text: `${values.given().toLowerCase()}@${random.pick(DOMAINS)}`,
        category: 'EMAIL',
        isTaken: true,
      };
    case 'N':
      return { text: `+${digits(2)} ${digits(3)} ${digits(6)}`, category: 'PHONE', isTaken: true };
    case 'D':
      return { text: `20${digits(2)}-0${1 + random.integerBelow(9)}-1${random.integerBelow(10)}` };
    case 'J':
      return { text: values.job() };
    case 'K':
      return { text: values.product() };
    case 'V':
      return { text: values.surname() };
    case 'B':
      return { text: values.given() };
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
      return { text: digits(1 + random.integerBelow(8)) };
  }
};

export type Values = Names &
  Record<'address' | 'street' | 'org' | 'court' | 'zip' | 'job' | 'product', () => string> & {
    noise: Noise;
  };

export const createValues = (lists: Lists, random: Random): Values => {
  const names = createNames(lists, random);
  const sometimesUnlisted = createBlender(random);
  const street = createStreets(lists, names, random);
  const zip = createZips(names, random);
  return {
    ...names,
    street,
    zip,
    address: createAddresses(street, zip, names, random),
    org: createOrgs(lists, names, random),
    court: createCourts(names, random),
    job: () => random.pick(lists.job),
    product: () => sometimesUnlisted(() => random.pick(lists.product)),
    noise: createNoise(lists, random),
  };
};
