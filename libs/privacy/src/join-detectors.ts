import { createCustomFinder } from './custom/create-custom-finder.ts';
import type { CustomWords } from './custom/create-custom-finder.ts';
import { resolveOverlaps } from './resolve-overlaps.ts';
import type { Category, ReadOptions, Span } from './span.ts';

/** What a workspace chooses. */
export type DetectOptions = CustomWords & {
  /** Only these are detected, and the workspace's own words whatever theirs; all when absent. */
  categories?: readonly Category[] | undefined;
};

/** The detectors that are joined. */
export type DetectorParts = {
  findStructured: (text: string) => readonly Span[];
  /** Names outside the spans that are taken. */
  findNames: (text: string, taken: readonly Span[]) => readonly Span[];
};

/**
 * Joins structured detection, names and a workspace's own words into spans that ascend and do not
 * overlap. Throws `PatternError` for a pattern of the workspace.
 */
export function joinDetectors(
  { findStructured, findNames }: DetectorParts,
  { categories, ...words }: DetectOptions = {},
): (text: string, options?: ReadOptions) => Span[] {
  const findCustom = createCustomFinder(words);
  const wanted = categories === undefined ? undefined : new Set<Category>(categories);
  const isWanted = ({ category }: Span): boolean => wanted === undefined || wanted.has(category);
  const wantsNames = wanted === undefined || NAMES.some((category) => wanted.has(category));

  return (text, { withoutNames = false } = {}) => {
    const custom = findCustom(text);
    // Unwanted structured spans are taken all the same: an address is no name.
    const structured = findStructured(text);
    const names = wantsNames && !withoutNames ? findNames(text, structured) : [];
    const rest = mergeSorted(structured, names).filter(isWanted);
    return resolveOverlaps(text, { first: custom, rest });
  };
}

/** Both in one list by their start, of equal ones those of `a` first; both ascend. */
function mergeSorted(a: readonly Span[], b: readonly Span[]): readonly Span[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  const merged: Span[] = [];
  let next = 0;
  for (const one of a) {
    while (next < b.length && (b[next] as Span).start < one.start) merged.push(b[next++] as Span);
    merged.push(one);
  }
  while (next < b.length) merged.push(b[next++] as Span);
  return merged;
}

const NAMES: readonly Category[] = ['PERSON', 'ADDRESS', 'ORG', 'LOCATION'];
