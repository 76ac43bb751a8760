import { detectStructured } from './detect-structured.ts';
import { callInSteps, runSteps, STEP_UNITS } from './steps.ts';
import type { Stepped, Steps } from './steps.ts';
import { createNameDetector } from './name/create-name-detector.ts';
import type { ReadOptions, Span, Category } from './span.ts';
import { createCustomFinder } from './custom/create-custom-finder.ts';
import type { CustomRules } from './custom/create-custom-finder.ts';

/**
 * Returns ascending spans without overlaps. If it throws, masking fails and the request is
 * rejected. A long text is detected in steps, if the detector can do so.
 */
export type Detect = ((text: string, options?: ReadOptions) => readonly Span[]) & {
  inSteps?: (text: string, options?: ReadOptions) => Steps<readonly Span[]>;
};

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

  // Detects all structured categories, even those that are not requested, because the name model
  // could mistake an undetected e-mail address for a name.
  const detectText = (text: string, { withoutNames = false }: ReadOptions = {}): Span[] => {
    const custom = hasRules ? runSteps(findCustom(text)) : [];
    const structured = findStructured(text);
    const names = !wantsNames || withoutNames ? [] : findNames(text, structured);
    return join(text, { custom, structured, names });
  };
  function* inSteps(text: string, options: ReadOptions = {}): Steps<Span[]> {
    if (text.length <= STEP_UNITS) return detectText(text, options);
    const custom = hasRules ? yield* findCustom(text) : [];
    const structured = yield* callInSteps(findStructured, text);
    const isNameless = !wantsNames || options.withoutNames === true;
    const names = isNameless ? [] : yield* callInSteps(findNames, text, structured);
    return join(text, { custom, structured, names });
  }
  const join = (text: string, { custom, structured, names }: Record<FoundBy, Span[]>): Span[] => {
    if (custom.length + structured.length + names.length === 0) return [];
    const rest = mergeSpans(structured, names).filter(isWanted);
    return resolveOverlaps(text, { first: custom, rest });
  };
  return Object.assign(detectText, { inSteps });
}

type FoundBy = 'custom' | 'structured' | 'names';

const NAMES: readonly Category[] = ['PERSON', 'ADDRESS', 'ORG', 'LOCATION'];

/** If two spans overlap, the one whose category has the lower rank remains whole. */
const RANK: Readonly<Record<Category, number>> = {
  EMAIL: 0,
  PHONE: 0,
  CREDIT_CARD: 0,
  IBAN: 0,
  IP: 0,
  MAC: 0,
  URL_CREDENTIALS: 0,
  CRYPTO: 0,
  SECRET: 0,
  DATE_OF_BIRTH: 1,
  NATIONAL_ID: 1,
  TAX_ID: 1,
  PASSPORT: 1,
  DRIVER_LICENSE: 1,
  BANK_ACCOUNT: 1,
  ADDRESS: 2,
  PERSON: 3,
  ORG: 4,
  LOCATION: 4,
};

const RANKS = [0, 1, 2, 3, 4];

/**
 * Returns ascending spans without overlaps that cover every letter and digit of the input spans.
 * `first` takes precedence over `rest`, whose spans take precedence by `RANK`. A span with lower
 * precedence is reduced to its parts outside of the other spans.
 */
export function resolveOverlaps(
  text: string,
  { first, rest }: { first: readonly Span[]; rest: readonly Span[] },
): Span[] {
  if (first.length === 0 && areDisjoint(rest)) return rest.map((span) => ({ ...span }));
  const groups = [
    first,
    ...RANKS.map((rank) => rest.filter((span) => RANK[span.category] === rank)),
  ];
  let resolved: Span[] = [];
  for (const group of groups) {
    if (group.length > 0) resolved = mergeSpans(resolved, subtractTaken(text, group, resolved));
  }
  return resolved;
}

function areDisjoint(spans: readonly Span[]): boolean {
  let lastEnd = 0;
  for (const { start, end } of spans) {
    if (start < lastEnd || end <= start) return false;
    lastEnd = end;
  }
  return true;
}

/**
 * Returns the parts of `spans` outside of `takenSpans`. If two of `spans` overlap, the one that
 * starts earlier remains whole, or the longer one if they start together.
 */
function subtractTaken(text: string, spans: readonly Span[], takenSpans: readonly Span[]): Span[] {
  const sorted = spans
    .filter(({ start, end }) => start < end)
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  const parts: Span[] = [];
  let lastEnd = 0;
  let next = 0;
  for (const { start, end, category } of sorted) {
    let position = Math.max(start, lastEnd);
    while (next < takenSpans.length && (takenSpans[next] as Span).end <= position) next += 1;
    for (let index = next; position < end; index += 1) {
      const obstacle = takenSpans[index];
      const stop = obstacle === undefined ? end : Math.min(end, obstacle.start);
      const isWhole = position === start && stop === end;
      const part = isWhole ? { start, end, category } : trimPart(text, position, stop, category);
      if (part !== undefined) parts.push(part);
      if (obstacle === undefined || obstacle.start >= end) break;
      position = Math.max(position, obstacle.end);
    }
    lastEnd = Math.max(lastEnd, end);
  }
  return parts;
}

const WORD = /[\p{L}\p{N}]/u;

function trimPart(text: string, start: number, end: number, category: Category): Span | undefined {
  let from = start;
  let to = end;
  while (from < to && !isWordUnit(text, from)) from += 1;
  while (to > from && !isWordUnit(text, to - 1)) to -= 1;
  return from < to ? { start: from, end: to, category } : undefined;
}

/**
 * Returns true for a word character, and for half of a surrogate pair, because a pair must not be
 * split.
 */
function isWordUnit(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  return (unit >= 0xd800 && unit <= 0xdfff) || WORD.test(text.charAt(offset));
}

/**
 * Merges two ascending lists of spans. Of two spans with the same start, that of `a` comes first.
 */
function mergeSpans(a: readonly Span[], b: readonly Span[]): Span[] {
  if (a.length === 0) return [...b];
  if (b.length === 0) return [...a];
  return [...a, ...b].toSorted((left, right) => left.start - right.start);
}

/**
 * Caches detected spans, so that an agent's history is not scanned again at every call. The key is
 * a hash of the text; the text itself is not stored.
 */
export type ScanCache = {
  /**
   * Wraps a detector with the cache. `scope` must identify everything besides the text that the
   * spans depend on: the version of the detector and the settings of the workspace.
   */
  wrap(scope: string, scan: Detect): Detect;
  readonly bytes: number;
};

/** Minimum length of a cached text; hashing a shorter one costs about as much as scanning it. */
const LENGTH_MIN = 64;

const ENTRY_BYTES = 250;
const SPAN_BYTES = 50;

export type ScanCacheOptions = {
  bytesMax: number;
  /** A collision-resistant hash. */
  hash: (text: string) => string;
};

export function createScanCache({ bytesMax, hash }: ScanCacheOptions): ScanCache {
  // Two generations, because a Map from which the oldest entries are deleted, one by one, passes
  // all deleted ones to find the next.
  let recent = new Map<string, readonly Span[]>();
  let older = new Map<string, readonly Span[]>();
  let recentBytes = 0;
  let olderBytes = 0;

  const keyOf = (scope: string, text: string): string | undefined =>
    // A text with lone surrogates is not cached: UTF-8 cannot encode them, so two such texts could
    // have the same hash.
    text.length < LENGTH_MIN || !text.isWellFormed() ? undefined : hash(`${scope}\0${text}`);

  function find(key: string | undefined): readonly Span[] | undefined {
    if (key === undefined) return undefined;
    const cached = recent.get(key);
    if (cached !== undefined) return cached;
    const spans = older.get(key);
    return spans && store(key, spans);
  }

  function store(key: string | undefined, spans: readonly Span[]): readonly Span[] {
    const weight = weightOf(spans);
    if (key === undefined || weight > bytesMax / 2) return spans;
    if (recentBytes + weight > bytesMax / 2) {
      older = recent;
      olderBytes = recentBytes;
      recent = new Map();
      recentBytes = 0;
    }
    recent.set(key, spans);
    recentBytes += weight;
    return spans;
  }

  return {
    wrap: (scope, scan) => {
      const keyFor = (text: string, options?: ReadOptions): string | undefined =>
        keyOf(options?.withoutNames === true ? `${scope}\0` : scope, text);
      const detectCached = (text: string, options?: ReadOptions): readonly Span[] => {
        const key = keyFor(text, options);
        return find(key) ?? store(key, scan(text, options));
      };
      function* inSteps(text: string, options?: ReadOptions): Steps<readonly Span[]> {
        const key = keyFor(text, options);
        return find(key) ?? store(key, yield* callInSteps(scan, text, options));
      }
      return Object.assign(detectCached, { inSteps });
    },
    get bytes() {
      return recentBytes + olderBytes;
    },
  };
}

function weightOf(spans: readonly Span[]): number {
  return ENTRY_BYTES + SPAN_BYTES * spans.length;
}
