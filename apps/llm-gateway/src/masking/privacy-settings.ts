import { CATEGORIES } from '@witan/privacy';
import type { Category, CustomPattern, CustomTerm } from '@witan/privacy';

export type PrivacySettings = {
  /** Detected categories; the workspace's own terms are masked whatever their category. */
  categories: readonly Category[];
  /** Terms that are matched as whole words, case-insensitively. */
  terms: readonly CustomTerm[];
  /** Patterns in the linear-time pattern language of libs/privacy. */
  patterns: readonly CustomPattern[];
};

/**
 * Places and organisations are often the subject of a question and not personal data by themselves,
 * so a workspace enables them explicitly (docs/decisions/0010-masking-reads-what-leaves.md).
 */
const NOT_BY_DEFAULT: ReadonlySet<Category> = new Set(['LOCATION', 'ORG']);

export const DEFAULT_PRIVACY: PrivacySettings = {
  categories: CATEGORIES.filter((category) => !NOT_BY_DEFAULT.has(category)),
  terms: [],
  patterns: [],
};
