import type { Category } from '../span.ts';

/** Category `c` has the labels `2c + 1` (begins) and `2c + 2` (continues); label 0 is outside. */
export const NAME_CATEGORIES = [
  'PERSON',
  'ADDRESS',
  'ORG',
  'LOCATION',
] as const satisfies Category[];

export type NameCategory = (typeof NAME_CATEGORIES)[number];

export const LABEL_COUNT = 1 + 2 * NAME_CATEGORIES.length;

export const ROW_LENGTH = LABEL_COUNT - 1;
