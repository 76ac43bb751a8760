import { hash } from 'node:crypto';
import { createScanCache } from '@witan/privacy';
import type { Detect, DetectOptions, Span } from '@witan/privacy';
import type { PrivacySettings } from './privacy-settings.ts';

/** Scans texts where it holds nobody up; the answer has their order. */
export type ScanAside = (
  settings: PrivacySettings,
  texts: readonly string[],
) => Promise<readonly (readonly Span[])[]>;

/** The detectors of workspaces' settings, over one memory of what was found where. */
export type Detectors = {
  detectorFor: (settings: PrivacySettings) => Detect;
  /**
   * A detector for one call. Resolves once what is much to scan was scanned aside, so that the
   * detector has little left to do.
   */
  scanAhead: (settings: PrivacySettings, call: Scanned) => Promise<Detect>;
};

/** A call to be scanned. */
export type Scanned = {
  /** About how much text it has, in UTF-16 units. */
  length: number;
  /** Passes all its texts to a detector. */
  read: (detect: Detect) => void;
};

export type DetectorsOptions = {
  /** Makes a detector; all that it makes share one model of names. */
  createDetector: (options: DetectOptions) => Detect;
  scanAside: ScanAside;
  /** Memory for what was found in texts, in bytes: old turns are not read again. */
  cacheBytes: number;
};

/** Settings whose detectors are kept; making one again costs a few milliseconds. */
const KEPT_MAX = 500;

/** More of what was never seen is scanned aside, in UTF-16 units: a few milliseconds of work. */
const ASIDE_LENGTH_MIN = 32_768;

type Kept = { scope: string; detect: Detect };

export const createDetectors = (options: DetectorsOptions): Detectors => {
  const { createDetector, scanAside, cacheBytes } = options;
  const cache = createScanCache({
    bytesMax: cacheBytes,
    hash: (text) => hash('sha256', text, 'base64'),
  });
  const bySettings = new WeakMap<PrivacySettings, Kept>();
  const byScope = new Map<string, Kept>();

  const open = (settings: PrivacySettings): Kept => {
    // Settings are read anew every few seconds and rarely say anything new.
    const scope = hash('sha256', JSON.stringify(settings), 'base64');
    const kept = byScope.get(scope) ?? {
      scope,
      detect: cache.through(scope, createDetector(settings)),
    };
    byScope.delete(scope);
    byScope.set(scope, kept);
    if (byScope.size > KEPT_MAX) byScope.delete(byScope.keys().next().value!);
    bySettings.set(settings, kept);
    return kept;
  };
  const find = (settings: PrivacySettings): Kept => bySettings.get(settings) ?? open(settings);

  return {
    detectorFor: (settings) => find(settings).detect,
    scanAhead: async (settings, { length: lengthOfAll, read }) => {
      const { scope, detect } = find(settings);
      if (lengthOfAll < ASIDE_LENGTH_MIN) return detect;
      const unseen = new Set<string>();
      read((text) => {
        if (!cache.has(scope, text)) unseen.add(text);
        return [];
      });
      const texts = [...unseen];
      if (texts.reduce((sum, { length }) => sum + length, 0) < ASIDE_LENGTH_MIN) return detect;
      const found = await scanAside(settings, texts);
      const known = new Map<string, readonly Span[]>();
      for (const [place, text] of texts.entries()) {
        known.set(text, found[place]!);
        cache.add(scope, text, found[place]!);
      }
      return (text) => known.get(text) ?? detect(text);
    },
  };
};
