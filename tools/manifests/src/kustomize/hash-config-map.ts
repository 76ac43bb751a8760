import { createHash } from 'node:crypto';
import type { JsonObject } from '../manifest.ts';

const LENGTH = 10;
/** Kustomize keeps digits and letters out that could spell words. */
const REPLACED: Readonly<Record<string, string>> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };
/** Go's JSON escapes what HTML reads. */
const ESCAPED: Readonly<Record<string, string>> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
  '\u2028': String.raw`\u2028`,
  '\u2029': String.raw`\u2029`,
};

/** The name's suffix that kustomize gives a generated ConfigMap: another content, another name. */
export const hashConfigMap = (data: JsonObject): string => {
  const sorted = Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  // Kustomize looks its name up where there is none: it is empty for all.
  const text = JSON.stringify({ data: sorted, kind: 'ConfigMap', name: '' }).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => ESCAPED[character]!,
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
  return [...hash].map((digit) => REPLACED[digit] ?? digit).join('');
};
