import { CATEGORIES } from '@witan/privacy';
import type { Category, CustomPattern, CustomTerm } from '@witan/privacy';

/** What a workspace wants masked before anything leaves for a provider that is not local. */
export type PrivacySettings = {
  /** What is looked for; the workspace's own words are masked whatever their category. */
  categories: readonly Category[];
  /** Whole words in any case. */
  terms: readonly CustomTerm[];
  /** In the linear-time language of libs/privacy. */
  patterns: readonly CustomPattern[];
};

/**
 * Places and organisations are facts that questions are about, and by themselves nobody's data: a
 * workspace that wants them masked says so (decision 0010).
 */
const NOT_BY_DEFAULT: ReadonlySet<Category> = new Set(['LOCATION', 'ORG']);

/** Of a workspace that has decided nothing. */
export const DEFAULT_PRIVACY: PrivacySettings = {
  categories: CATEGORIES.filter((category) => !NOT_BY_DEFAULT.has(category)),
  terms: [],
  patterns: [],
};
