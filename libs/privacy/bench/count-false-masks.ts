import type { Detect } from '../src/index.ts';
import { readPrompts } from './read-prompts.ts';

/** Of some prompts, how many have a span, and how many one of a person or an address. */
export type FalseMasks = { category: string; texts: number; touched: number; asPerson: number };

const ALL = 'all';

/** What a detector masks of prompts that training never saw and that name nobody. */
export function countFalseMasks(detect: Detect): FalseMasks[] {
  const counts = new Map<string, FalseMasks>();
  for (const prompt of readPrompts()) {
    const spans = detect(prompt.text);
    const isPerson = spans.some(({ category }) => category === 'PERSON' || category === 'ADDRESS');
    for (const category of [prompt.category, ALL]) {
      const count = counts.get(category) ?? { category, texts: 0, touched: 0, asPerson: 0 };
      count.texts += 1;
      count.touched += Number(spans.length > 0);
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
