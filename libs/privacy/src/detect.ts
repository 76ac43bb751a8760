import { detectStructured } from './detect-structured.ts';
import { joinDetectors } from './join-detectors.ts';
import type { DetectOptions } from './join-detectors.ts';
import { createNameDetector } from './name/create-name-detector.ts';
import type { ReadOptions, Span } from './span.ts';

type Detector = (text: string, options?: ReadOptions) => Span[];

/**
 * Returns a reusable detector whose spans are ascending and do not overlap. Decodes the name model,
 * so create one detector for many texts. Throws `PatternError` for an invalid pattern.
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
