import { readFileSync } from 'node:fs';

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
export function readPrompts(): Prompt[] {
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
