import type { ReadOptions, Span } from '../span.ts';
import { callInSteps } from '../steps.ts';
import type { Steps } from '../steps.ts';
import type { Detect } from './find-replacements.ts';

/**
 * Caches detected spans, so that an agent's history is not scanned again at every call. The key is
 * a hash of the text; the text itself is not stored.
 */
export type ScanCache = {
  /**
   * Wraps `detect` with the cache. `scope` must identify everything besides the text that the spans
   * depend on: the version of the detector and the settings of the workspace.
   */
  wrap(scope: string, detect: Detect): Detect;
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
  const entries = new Map<string, readonly Span[]>();
  let bytes = 0;

  const keyOf = (scope: string, text: string): string | undefined =>
    // A text with lone surrogates is not cached: UTF-8 cannot encode them, so two such texts could
    // have the same hash.
    text.length < LENGTH_MIN || !text.isWellFormed() ? undefined : hash(`${scope}\0${text}`);

  function find(key: string | undefined): readonly Span[] | undefined {
    const cached = key === undefined ? undefined : entries.get(key);
    if (cached === undefined) return undefined;
    entries.delete(key!);
    entries.set(key!, cached);
    return cached;
  }

  function store(key: string | undefined, spans: readonly Span[]): readonly Span[] {
    const weight = weightOf(spans);
    if (key === undefined || weight > bytesMax) return spans;
    entries.set(key, spans);
    bytes += weight;
    for (const [oldest, dropped] of entries) {
      if (bytes <= bytesMax) break;
      entries.delete(oldest);
      bytes -= weightOf(dropped);
    }
    return spans;
  }

  return {
    wrap: (scope, detect) => {
      const keyFor = (text: string, options?: ReadOptions): string | undefined =>
        keyOf(options?.withoutNames === true ? `${scope}\0` : scope, text);
      const detectCached = (text: string, options?: ReadOptions): readonly Span[] => {
        const key = keyFor(text, options);
        return find(key) ?? store(key, detect(text, options));
      };
      function* inSteps(text: string, options?: ReadOptions): Steps<readonly Span[]> {
        const key = keyFor(text, options);
        return find(key) ?? store(key, yield* callInSteps(detect, text, options));
      }
      return Object.assign(detectCached, { inSteps });
    },
    get bytes() {
      return bytes;
    },
  };
}

function weightOf(spans: readonly Span[]): number {
  return ENTRY_BYTES + SPAN_BYTES * spans.length;
}
