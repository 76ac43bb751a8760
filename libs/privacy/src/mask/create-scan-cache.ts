import type { Span } from '../span.ts';
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

  function store(key: string, spans: readonly Span[]): void {
    const weight = weightOf(spans);
    if (weight > bytesMax) return;
    entries.set(key, spans);
    bytes += weight;
    for (const [oldest, dropped] of entries) {
      if (bytes <= bytesMax) break;
      entries.delete(oldest);
      bytes -= weightOf(dropped);
    }
  }

  return {
    wrap: (scope, detect) => (text, options) => {
      const key = keyOf(options?.withoutNames === true ? `${scope}\0` : scope, text);
      if (key === undefined) return detect(text, options);
      const cached = entries.get(key);
      if (cached !== undefined) {
        entries.delete(key);
        entries.set(key, cached);
        return cached;
      }
      const spans = detect(text, options);
      store(key, spans);
      return spans;
    },
    get bytes() {
      return bytes;
    },
  };
}

function weightOf(spans: readonly Span[]): number {
  return ENTRY_BYTES + SPAN_BYTES * spans.length;
}
