import type { Category } from '../span.ts';

/**
 * The category at index `c` has the labels `2c + 1` (token begins a span) and `2c + 2` (token
 * continues it); label 0 means outside of spans.
 */
export const NAME_CATEGORIES = [
  'PERSON',
  'ADDRESS',
  'ORG',
  'LOCATION',
] as const satisfies Category[];

export type NameCategory = (typeof NAME_CATEGORIES)[number];

export const LABEL_COUNT = 1 + 2 * NAME_CATEGORIES.length;

export const ROW_LENGTH = LABEL_COUNT - 1;
