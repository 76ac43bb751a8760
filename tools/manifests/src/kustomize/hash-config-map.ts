import { createHash } from 'node:crypto';
import type { JsonObject } from '../manifest.ts';

const LENGTH = 10;
const REPLACED: Readonly<Record<string, string>> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };
const ESCAPED: Readonly<Record<string, string>> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
  '\u2028': String.raw`\u2028`,
  '\u2029': String.raw`\u2029`,
};

/** Returns the name suffix that kustomize appends to a generated ConfigMap with this content. */
export const hashConfigMap = (data: JsonObject): string => {
  const sorted = Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  // kustomize hashes the object with an empty name.
  const text = JSON.stringify({ data: sorted, kind: 'ConfigMap', name: '' }).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => ESCAPED[character]!,
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
  return [...hash].map((digit) => REPLACED[digit] ?? digit).join('');
};
