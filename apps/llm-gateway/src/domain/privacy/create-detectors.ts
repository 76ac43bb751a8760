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

/** Settings whose detectors are kept; making one again costs a few milliseconds. */
const KEPT_MAX = 500;

/** Detectors for the settings of many workspaces, over one memory of what was found where. */
export const createDetectors = ({ createDetector, cacheBytes }: DetectorsOptions): DetectorFor => {
  const cache = createScanCache({
    bytesMax: cacheBytes,
    hash: (text) => hash('sha256', text, 'base64'),
  });
  const bySettings = new WeakMap<PrivacySettings, Detect>();
  const byContent = new Map<string, Detect>();

  const open = (settings: PrivacySettings): Detect => {
    const content = JSON.stringify(settings);
    const known = byContent.get(content);
    const detect = known ?? cache.through(content, createDetector(settings));
    byContent.delete(content);
    byContent.set(content, detect);
    if (byContent.size > KEPT_MAX) byContent.delete(byContent.keys().next().value!);
    return detect;
  };
  return (settings) => {
    const known = bySettings.get(settings);
    if (known) return known;
    const detect = open(settings);
    bySettings.set(settings, detect);
    return detect;
  };
};
