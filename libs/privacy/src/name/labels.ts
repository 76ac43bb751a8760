import type { Category } from '../span.ts';

/** The categories that the model finds; category `c` has the labels `2c + 1` (begins), `2c + 2`. */
export const NAME_CATEGORIES = [
  'PERSON',
  'ADDRESS',
  'ORG',
  'LOCATION',
] as const satisfies Category[];

export type NameCategory = (typeof NAME_CATEGORIES)[number];

/** Outside, and two for each category. */
export const LABELS = 1 + 2 * NAME_CATEGORIES.length;

/** Weights of a feature: one for each label but 0, outside, which has none. */
export const ROW = LABELS - 1;
