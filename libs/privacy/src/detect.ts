import { detectStructured } from './detect-structured.ts';
import { joinDetectors } from './join-detectors.ts';
import type { DetectOptions } from './join-detectors.ts';
import { createNameDetector } from './name/create-name-detector.ts';
import type { ReadOptions, Span } from './span.ts';

type Detector = (text: string, options?: ReadOptions) => Span[];

/**
 * A detector with these settings, for many texts: making one unpacks the model of names. Its
 * spans ascend and do not overlap. Throws
 * `PatternError` for a pattern of the settings.
 */
export function createDetector(options: DetectOptions = {}): Detector {
  return createDetectorFactory()(options);
}

/** Detectors with different settings, which share one model of names. */
export function createDetectorFactory(): (options?: DetectOptions) => Detector {
  const parts = { findStructured: detectStructured, findNames: createNameDetector() };
  return (options = {}) => joinDetectors(parts, options);
}

/** Personal data and secrets in one text; {@link createDetector} prepares settings once. */
export function detect(text: string, options: DetectOptions = {}): Span[] {
  return createDetector(options)(text);
}
