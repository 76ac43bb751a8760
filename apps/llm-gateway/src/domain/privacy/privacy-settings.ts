import { CATEGORIES } from '@witan/privacy';
import type { Category, CustomPattern, CustomTerm } from '@witan/privacy';

/** What a workspace masks before a call is sent to a remote provider. */
export type PrivacySettings = {
  /** Detected categories; the workspace's own terms are masked whatever their category. */
  categories: readonly Category[];
  /** Whole words in any case. */
  terms: readonly CustomTerm[];
  /** In the linear-time language of libs/privacy. */
  patterns: readonly CustomPattern[];
};

/**
 * Places and organisations are often the subject of a question and by themselves not personal data:
 * a workspace enables them explicitly (decision 0010).
 */
const NOT_BY_DEFAULT: ReadonlySet<Category> = new Set(['LOCATION', 'ORG']);

/** Settings of a new workspace. */
export const DEFAULT_PRIVACY: PrivacySettings = {
  categories: CATEGORIES.filter((category) => !NOT_BY_DEFAULT.has(category)),
  terms: [],
  patterns: [],
};
