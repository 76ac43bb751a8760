import { invalidRequest } from '@witan/contracts';
import { CATEGORIES, compilePattern, PatternError } from '@witan/privacy';
import type { Category, CustomPattern, CustomTerm } from '@witan/privacy';

export type PrivacySettings = {
  /**
   * Detected categories; the workspace's own terms and patterns are masked whatever their category.
   */
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

/**
 * Privacy settings of a request. The api-gateway has validated the categories, the number of terms
 * and patterns, and their lengths.
 */
export type PrivacyInput = {
  /** Undefined selects the default categories. */
  categories: readonly string[] | undefined;
  terms: readonly { text: string; category: string }[];
  patterns: readonly { pattern: string; category: string }[];
};

/** Limit of all terms together in UTF-16 units, because every process holds them in memory. */
const TERMS_LENGTH_MAX = 50_000;
/** Limit of the matching cost of all patterns together, in moves per character of a text. */
const PATTERN_STEPS_MAX = 1_000;

const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const PATTERN_LANGUAGE =
  'A pattern holds characters, ., classes like [a-z], \\d, \\w, \\s and their opposites, groups, ' +
  '|, ?, *, +, {m,n} up to 100, and \\b at its ends, and does not match the empty text.';

/**
 * Validates privacy settings and compiles every pattern. Returns the categories in the order of
 * CATEGORIES. Throws INVALID_REQUEST whose `param` is the path in the public body; messages do not
 * repeat a term, which may be a customer's name.
 */
export const checkPrivacy = ({ categories, terms, patterns }: PrivacyInput): PrivacySettings => ({
  categories: categories
    ? CATEGORIES.filter((category) => categories.includes(category))
    : DEFAULT_PRIVACY.categories,
  terms: checkTerms(terms),
  patterns: checkPatterns(patterns),
});

const checkTerms = (terms: PrivacyInput['terms']): PrivacySettings['terms'] => {
  if (terms.reduce((sum, { text }) => sum + text.length, 0) > TERMS_LENGTH_MAX) {
    throw toError('privacy.terms', `may have ${TERMS_LENGTH_MAX} characters together.`);
  }
  const paths = new Map<string, string>();
  return terms.map(({ text, category }, index) => {
    const path = `privacy.terms[${index}].text`;
    checkVisible(text, path, 'a term');
    // A term without a letter or digit, such as a full stop, would mask every occurrence of it.
    if (text.trim() !== text || !LETTER_OR_DIGIT.test(text)) {
      throw toError(
        path,
        'a term holds a letter or digit, and no white space at its beginning or end.',
      );
    }
    // Terms match case-insensitively, so a second spelling would never match.
    checkUnique(text.toLowerCase(), path, paths);
    return { text, category: category as Category };
  });
};

const checkPatterns = (patterns: PrivacyInput['patterns']): PrivacySettings['patterns'] => {
  const paths = new Map<string, string>();
  let moves = 0;
  return patterns.map(({ pattern, category }, index) => {
    const path = `privacy.patterns[${index}].pattern`;
    checkVisible(pattern, path, 'a pattern');
    checkUnique(pattern, path, paths);
    moves += checkLanguage(pattern, path);
    if (moves > PATTERN_STEPS_MAX) {
      throw toError(path, 'the patterns up to here branch too much together; make them shorter.');
    }
    return { pattern, category: category as Category };
  });
};

const checkLanguage = (pattern: string, path: string): number => {
  try {
    return compilePattern(pattern).transitions;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw toError(path, `${error.message}. ${PATTERN_LANGUAGE}`);
  }
};

/**
 * Returns the matching cost of all patterns together, in moves per character of a text. Throws
 * PatternError for an invalid pattern.
 */
export const countTransitions = ({ patterns }: PrivacySettings): number =>
  patterns.reduce((sum, { pattern }) => sum + compilePattern(pattern).transitions, 0);

const checkUnique = (text: string, path: string, paths: Map<string, string>): void => {
  const first = paths.get(text);
  if (first) throw toError(path, `is the same as ${first}; give each once.`);
  paths.set(text, path);
};

/**
 * Throws INVALID_REQUEST for a text with control characters, line or paragraph separators, or a
 * lone surrogate.
 */
export const checkVisible = (text: string, path: string, subject: string): void => {
  if (text.isWellFormed() && !INVISIBLE.test(text)) return;
  throw toError(path, `${subject} holds no control characters.`);
};

const toError = (param: string, problem: string): Error =>
  invalidRequest(`${param}: ${problem}`, { param });
