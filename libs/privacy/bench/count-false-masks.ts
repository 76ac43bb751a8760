import type { Detect } from '../src/index.ts';
import { readFileSync } from 'node:fs';
import type { PackageRow } from './sample-packages.ts';

type FalseMasks = { category: string; texts: number; masked: number; asPerson: number };

const ALL = 'all';

/**
 * Counts, by category, the prompts without names in which a detector finds a span. Every such span
 * is a false mask.
 */
export function countFalseMasks(detect: Detect): FalseMasks[] {
  const counts = new Map<string, FalseMasks>();
  for (const prompt of readPrompts()) {
    const spans = detect(prompt.text);
    const isPerson = spans.some(({ category }) => category === 'PERSON' || category === 'ADDRESS');
    for (const category of [prompt.category, ALL]) {
      const count = counts.get(category) ?? { category, texts: 0, masked: 0, asPerson: 0 };
      count.texts += 1;
      count.masked += Number(spans.length > 0);
      count.asPerson += Number(isPerson);
      counts.set(category, count);
    }
  }
  const rows = [...counts.values()];
  return [
    ...rows.filter(({ category }) => category !== ALL),
    ...rows.filter(({ category }) => category === ALL),
  ];
}

/** A prompt without names: every span that a detector finds in it is a false mask. */
export type Prompt = { category: string; text: string };

/**
 * A template is filled with every eighth product, starting at a product that depends on the
 * template's index.
 */
const STRIDE = 8;

/**
 * Reads `prompts.txt`, which is not training data, and fills `{t}` and `{t2}` with product names.
 */
function readPrompts(): Prompt[] {
  const products = readLines('products.txt').flatMap((line) => line.split('|'));
  let category = '';
  return readLines('prompts.txt').flatMap((line, index): Prompt[] => {
    if (line.startsWith('## ') && !line.includes('\\n')) category = line.slice(3);
    else if (line.includes('{t}')) return fill(line, products, index, category);
    else return [{ category, text: toText(line) }];
    return [];
  });
}

function fill(
  line: string,
  products: readonly string[],
  index: number,
  category: string,
): Prompt[] {
  return products
    .filter((_product, position) => position % STRIDE === index % STRIDE)
    .map((product, position) => {
      const otherProduct = products[(position * 7 + index) % products.length] as string;
      const text = toText(line).replaceAll('{t}', product).replaceAll('{t2}', otherProduct);
      return { category, text };
    });
}

function readLines(name: string): string[] {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
}

function toText(line: string): string {
  return line.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
}

type MaskedRows = { kind: PackageRow['kind']; rows: number; masked: number };

const NAMES = new Set(['PERSON', 'ADDRESS', 'ORG', 'LOCATION']);

export const countMaskedRows = (rows: readonly PackageRow[], detect: Detect): MaskedRows[] =>
  (['code', 'json', 'prose'] as const).map((kind) => {
    const rowsOfKind = rows.filter((row) => row.kind === kind);
    const masked = rowsOfKind.filter(({ text }) =>
      detect(text).some(({ category }) => NAMES.has(category)),
    );
    return { kind, rows: rowsOfKind.length, masked: masked.length };
  });
