import { hash } from 'node:crypto';
import { createScanCache } from '@witan/privacy';
import type { Detect, DetectOptions } from '@witan/privacy';
import type { PrivacySettings } from './privacy-settings.ts';

export type DetectorFor = (settings: PrivacySettings) => Detect;

type DetectorsOptions = {
  /** Creates a detector. All detectors share one name model. */
  createDetector: (options: DetectOptions) => Detect;
  /**
   * Maximum size of the cache of findings in bytes. It avoids scanning earlier turns of a chat
   * again.
   */
  cacheBytes: number;
};

/** Maximum number of cached detectors; each takes up to some hundred kilobytes. */
const CACHED_MAX = 200;

export const createDetectors = ({ createDetector, cacheBytes }: DetectorsOptions): DetectorFor => {
  const cache = createScanCache({
    bytesMax: cacheBytes,
    hash: (text) => hash('sha256', text, 'base64'),
  });
  const bySettings = new WeakMap<PrivacySettings, Detect>();
  const byContent = new Map<string, Detect>();

  const open = (settings: PrivacySettings): Detect => {
    // Settings are reloaded every few seconds into new objects but rarely change, so detectors are
    // cached by the settings' content.
    const content = hash('sha256', JSON.stringify(settings), 'base64');
    const detect = byContent.get(content) ?? cache.wrap(content, createDetector(settings));
    byContent.delete(content);
    byContent.set(content, detect);
    if (byContent.size > CACHED_MAX) byContent.delete(byContent.keys().next().value!);
    bySettings.set(settings, detect);
    return detect;
  };
  return (settings) => bySettings.get(settings) ?? open(settings);
};
