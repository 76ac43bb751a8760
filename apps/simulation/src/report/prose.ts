import { normalizeProse } from './number-lock/split-tokens.ts';

export type Prose = {
  summary: string;
  risks: readonly string[];
  recommendations: readonly string[];
};

const SUMMARY_LENGTH_MAX = 4_000;
const ENTRY_LENGTH_MAX = 1_000;
const ENTRIES_MAX = 8;

export const readProse = (
  answer: Readonly<Record<string, unknown>>,
): { prose: Prose } | { error: string } => {
  const summary = toText(answer.summary);
  const risks = toTexts(answer.risks);
  const recommendations = toTexts(answer.recommendations);
  if (summary === '') return { error: '"summary" must be a string with the summary in it' };
  if (summary.length > SUMMARY_LENGTH_MAX) return { error: '"summary" is too long' };
  for (const [name, entries] of Object.entries({ risks, recommendations })) {
    if (entries.length === 0) return { error: `"${name}" must be a list of strings, not empty` };
    if (entries.length > ENTRIES_MAX) return { error: `"${name}" has more than 8 entries` };
    const isLong = entries.some((entry) => entry.length > ENTRY_LENGTH_MAX);
    if (isLong) return { error: `an entry of "${name}" is too long` };
  }
  return { prose: { summary, risks, recommendations } };
};

const toText = (value: unknown): string => (typeof value === 'string' ? normalizeProse(value) : '');

const toTexts = (value: unknown): string[] => {
  if (!Array.isArray(value)) return [];
  const texts = value.map(toText);
  return texts.includes('') ? [] : texts;
};
