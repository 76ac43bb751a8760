import { hash } from 'node:crypto';
import { createScanCache } from '@witan/privacy';
import type { Detect, DetectOptions } from '@witan/privacy';
import type { PrivacySettings } from './privacy-settings.ts';

/** The detector of a workspace's settings. */
export type DetectorFor = (settings: PrivacySettings) => Detect;

export type DetectorsOptions = {
  /** Makes a detector; all that it makes share one model of names. */
  createDetector: (options: DetectOptions) => Detect;
  /** Memory for what was found in texts, in bytes: old turns are not read again. */
  cacheBytes: number;
};

/** Settings whose detectors are kept, each of at most some hundred kilobytes. */
const CACHED_MAX = 200;

/** Detectors for the settings of many workspaces, over one memory of what was found where. */
export const createDetectors = ({ createDetector, cacheBytes }: DetectorsOptions): DetectorFor => {
  const cache = createScanCache({
    bytesMax: cacheBytes,
    hash: (text) => hash('sha256', text, 'base64'),
  });
  const bySettings = new WeakMap<PrivacySettings, Detect>();
  const byContent = new Map<string, Detect>();

  const open = (settings: PrivacySettings): Detect => {
    // Settings are read anew every few seconds and rarely say anything new.
    const content = hash('sha256', JSON.stringify(settings), 'base64');
    const detect = byContent.get(content) ?? cache.through(content, createDetector(settings));
    byContent.delete(content);
    byContent.set(content, detect);
    if (byContent.size > CACHED_MAX) byContent.delete(byContent.keys().next().value!);
    bySettings.set(settings, detect);
    return detect;
  };
  return (settings) => bySettings.get(settings) ?? open(settings);
};
