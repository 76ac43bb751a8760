import type { Detect } from '../src/index.ts';
import { readPrompts } from './read-prompts.ts';

export type FalseMasks = { category: string; texts: number; masked: number; asPerson: number };

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
