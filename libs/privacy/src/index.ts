export { CATEGORIES } from './span.ts';
export type { Category, ReadOptions, Span } from './span.ts';
export { createDetector, createDetectorFactory, detect } from './detect.ts';
export type { DetectOptions } from './detect.ts';
export type { CustomPattern, CustomTerm } from './custom/create-custom-finder.ts';
export { compilePattern } from './custom/compile-pattern.ts';
export { PatternError } from './custom/parse-pattern.ts';
export { editJsonStrings } from './edit-json-strings.ts';
export type { StringLeaf } from './edit-json-strings.ts';
export { createMasker } from './mask/create-masker.ts';
export { openPlaceholderTable } from './mask/create-placeholder-table.ts';
export type { Masker, MaskerOptions } from './mask/create-masker.ts';
export type {
  CategoryCount,
  CategoryCounts,
  MaskedValue,
  PlaceholderTable,
} from './mask/create-placeholder-table.ts';
export { createScanCache } from './mask/create-scan-cache.ts';
export type { ScanCache, ScanCacheOptions } from './mask/create-scan-cache.ts';
export type { JsonMaskOptions, JsonRole } from './mask/find-json-replacements.ts';
export type { Detect } from './mask/find-replacements.ts';
export { JsonDepthError } from './mask/walk-json.ts';
export { TextTooLongError } from './name/tokenize.ts';
export { runSteps } from './steps.ts';
export type { Steps } from './steps.ts';
export type { JsonPath } from './mask/walk-json.ts';
export { createRestorer } from './restore/create-restorer.ts';
export type { Restorer } from './restore/create-restorer.ts';
export type { RestoreTarget } from './restore/create-matcher.ts';
export type { RestoreStream } from './restore/create-restorer.ts';
