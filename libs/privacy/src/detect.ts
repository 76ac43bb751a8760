import { detectStructured } from './detect-structured.ts';
import { createNameDetector } from './name/create-name-detector.ts';
import type { ReadOptions, Span, Category } from './span.ts';
import { createCustomFinder } from './custom/create-custom-finder.ts';
import type { CustomRules } from './custom/create-custom-finder.ts';
import { mergeSpans, resolveOverlaps } from './resolve-overlaps.ts';

type Detector = (text: string, options?: ReadOptions) => Span[];

/**
 * Returns a detector whose spans are ascending and do not overlap. Loading the name model is slow,
 * so use one detector for many texts. Throws `PatternError` for an invalid pattern.
 */
export function createDetector(options: DetectOptions = {}): Detector {
  return createDetectorFactory()(options);
}

export function createDetectorFactory(): (options?: DetectOptions) => Detector {
  const parts = { findStructured: detectStructured, findNames: createNameDetector() };
  return (options = {}) => joinDetectors(parts, options);
}

/** Detects personal data in a single text. For many texts, {@link createDetector} is faster. */
export function detect(text: string, options: DetectOptions = {}): Span[] {
  return createDetector(options)(text);
}

export type DetectOptions = CustomRules & {
  /**
   * Categories to detect; all by default. Terms and patterns of the workspace are always detected.
   */
  categories?: readonly Category[] | undefined;
};

type DetectorParts = {
  findStructured: (text: string) => readonly Span[];
  findNames: (text: string, takenSpans: readonly Span[]) => readonly Span[];
};

/**
 * Combines structured detection, names and the workspace's own rules into ascending spans without
 * overlaps. Throws `PatternError` for an invalid pattern.
 */
export function joinDetectors(
  { findStructured, findNames }: DetectorParts,
  { categories, ...rules }: DetectOptions = {},
): (text: string, options?: ReadOptions) => Span[] {
  const findCustom = createCustomFinder(rules);
  const wantedCategories = categories === undefined ? undefined : new Set<Category>(categories);
  const isWanted = ({ category }: Span): boolean =>
    wantedCategories === undefined || wantedCategories.has(category);
  const wantsNames =
    wantedCategories === undefined || NAMES.some((category) => wantedCategories.has(category));

  return (text, { withoutNames = false } = {}) => {
    const custom = findCustom(text);
    // Detects all structured categories, even those that are not requested, because the name model
    // could mistake an undetected e-mail address for a name.
    const structured = findStructured(text);
    const names = wantsNames && !withoutNames ? findNames(text, structured) : [];
    const rest = mergeSpans(structured, names).filter(isWanted);
    return resolveOverlaps(text, { first: custom, rest });
  };
}

const NAMES: readonly Category[] = ['PERSON', 'ADDRESS', 'ORG', 'LOCATION'];
