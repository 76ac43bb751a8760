import { detectStructured } from './detect-structured.ts';
import { callInSteps, STEP_UNITS, toStepped } from './steps.ts';
import type { Stepped, Steps } from './steps.ts';
import { createNameDetector } from './name/create-name-detector.ts';
import type { ReadOptions, Span, Category } from './span.ts';
import { createCustomFinder } from './custom/create-custom-finder.ts';
import type { CustomRules } from './custom/create-custom-finder.ts';
import { mergeSpans, resolveOverlaps } from './resolve-overlaps.ts';

type Detector = Stepped<[text: string, options?: ReadOptions], Span[]>;

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
  findStructured: ((text: string) => Span[]) & { inSteps?: (text: string) => Steps<Span[]> };
  findNames: FindNames & { inSteps?: (...inputs: Parameters<FindNames>) => Steps<Span[]> };
};
type FindNames = (text: string, takenSpans: readonly Span[]) => Span[];

/**
 * Combines structured detection, names and the workspace's own rules into ascending spans without
 * overlaps. Throws `PatternError` for an invalid pattern.
 */
export function joinDetectors(
  { findStructured, findNames }: DetectorParts,
  { categories, ...rules }: DetectOptions = {},
): Detector {
  const findCustom = createCustomFinder(rules);
  const hasRules = Boolean(rules.terms?.length || rules.patterns?.length);
  const wantedCategories = categories === undefined ? undefined : new Set<Category>(categories);
  const isWanted = ({ category }: Span): boolean =>
    wantedCategories === undefined || wantedCategories.has(category);
  const wantsNames =
    wantedCategories === undefined || NAMES.some((category) => wantedCategories.has(category));

  return toStepped(function* (
    text: string,
    { withoutNames = false }: ReadOptions = {},
  ): Steps<Span[]> {
    const custom = hasRules ? yield* findCustom(text) : [];
    // Detects all structured categories, even those that are not requested, because the name model
    // could mistake an undetected e-mail address for a name.
    const isLong = text.length > STEP_UNITS;
    const structured = isLong ? yield* callInSteps(findStructured, text) : findStructured(text);
    const names =
      !wantsNames || withoutNames
        ? []
        : isLong
          ? yield* callInSteps(findNames, text, structured)
          : findNames(text, structured);
    const rest = mergeSpans(structured, names).filter(isWanted);
    return resolveOverlaps(text, { first: custom, rest });
  });
}

const NAMES: readonly Category[] = ['PERSON', 'ADDRESS', 'ORG', 'LOCATION'];
