import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Span } from '../span.ts';
import type { Detect } from './find-pieces.ts';

/**
 * Remembers where texts hold personal data, never the texts: an agent's history is scanned once.
 */
export type ScanCache = {
  /**
   * `detect`, but for texts that it has seen under this `scope`. A scope names everything that the
   * spans depend on but the text: the detector's version and the workspace's settings.
   */
  through(scope: string, detect: Detect): Detect;
  /** About what the entries weigh; never above `bytesMax`. */
  readonly bytes: number;
};

/** Hashing a shorter text costs about what scanning it does. */
const LENGTH_MIN = 64;

/** What an entry weighs: its key, its place in the map, and its spans. */
const ENTRY_BYTES = 250;
const SPAN_BYTES = 50;

export type ScanCacheOptions = {
  bytesMax: number;
  /** A hash that nobody can find collisions of; a server has a faster one than ours. */
  hash?: ((text: string) => string) | undefined;
};

/** Forgets what was unused for longest when it would outgrow `bytesMax`. */
export function createScanCache({ bytesMax, hash = sha256Hex }: ScanCacheOptions): ScanCache {
  const entries = new Map<string, readonly Span[]>();
  let bytes = 0;

  const keyOf = (scope: string, text: string): string | undefined =>
    // UTF-8 has no lone surrogates: two such texts could have one hash.
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
    through: (scope, detect) => (text, options) => {
      const key = keyOf(options?.withoutNames === true ? `${scope}\0` : scope, text);
      if (key === undefined) return detect(text, options);
      const known = entries.get(key);
      if (known !== undefined) {
        entries.delete(key);
        entries.set(key, known);
        return known;
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

function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

function weightOf(spans: readonly Span[]): number {
  return ENTRY_BYTES + SPAN_BYTES * spans.length;
}
