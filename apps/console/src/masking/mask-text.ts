import { compilePattern, createDetector, createMasker, PatternError } from '@witan/privacy';
import type { DetectOptions, PlaceholderTable } from '@witan/privacy';

export type MaskTask = { text: string; settings: DetectOptions };

/** A stretch of a text; `category` is null if it is not masked. */
export type Stretch = { original: string; masked: string; category: string | null };

const KEY_BYTES = 32;

/**
 * Masks a text as the llm-gateway masks it before it leaves for a provider. Returns its stretches
 * in order. The placeholders have a random key, so their last characters differ from those that a
 * provider would get. Throws for a pattern that cannot be used.
 */
export const maskText = ({ text, settings }: MaskTask): Stretch[] => {
  for (const { pattern } of settings.patterns ?? []) checkPattern(pattern);
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const masker = createMasker({ key, detect: createDetector(settings) });
  const masked = masker.mask(text);
  return splitMasked(masked, masker.table);
};

const checkPattern = (pattern: string): void => {
  try {
    compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new Error(`The pattern “${pattern}” cannot be used: ${error.message}.`, { cause: error });
  }
};

const PLACEHOLDER = /\[\[([A-Z0-9_]+)\]\]/g;
/** A category, six characters, and the number of a further spelling. */
const NAME = /^(.+)_[A-Z2-7]{6}(?:_\d+)?$/;

const splitMasked = (masked: string, table: PlaceholderTable): Stretch[] => {
  const stretches: Stretch[] = [];
  let end = 0;
  const addPlain = (to: number): void => {
    const plain = masked.slice(end, to);
    if (plain !== '') stretches.push({ original: plain, masked: plain, category: null });
  };
  for (const { index, 0: placeholder, 1: name = '' } of masked.matchAll(PLACEHOLDER)) {
    const found = table.find(name);
    if (found === undefined) continue;
    addPlain(index);
    const [, category = name] = NAME.exec(name) ?? [];
    stretches.push({ original: found.value, masked: placeholder, category });
    end = index + placeholder.length;
  }
  addPlain(masked.length);
  return stretches;
};
