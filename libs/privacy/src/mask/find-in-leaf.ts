import type { Category } from '../span.ts';
import { findSpans, toReplacements } from './find-replacements.ts';
import type { Detect, Replacement } from './find-replacements.ts';
import type { Cue } from './json-cue.ts';
import type { JsonLeaf } from './walk-json.ts';

/**
 * Finds personal data in a JSON key, except names, because keys are not prose. `parentCue` is the
 * cue of the parent key, such as `ssns` in `{"ssns": {"536904399": ...}}`.
 */
export function findInKey(key: string, parentCue: Cue | undefined, detect: Detect): Replacement[] {
  const prefix = parentCue?.isPersonal === true ? parentCue.prefix : '';
  const options = { withoutNames: true };
  return toReplacements(
    key,
    findSpans(key, (text) => detect(text, options), prefix),
  );
}

/** Minimum length of a number that is masked because its check digits are valid. */
const CHECKED_DIGITS_MIN = 9;
/** Minimum length of a number that is masked because its key names personal data, such as `ssn`. */
const CUED_DIGITS_MIN = 4;

/** Categories that the detector can verify by check digits, so that their numbers need no cue. */
const CHECKED_CATEGORIES: ReadonlySet<Category> = new Set([
  'CREDIT_CARD',
  'IBAN',
  'NATIONAL_ID',
  'TAX_ID',
]);

/**
 * Finds an integer that is personal data: of any category if its key names personal data and not a
 * count, otherwise only of a category with check digits. The placeholder replaces the whole number
 * and is in quotes.
 */
export function findInNumber(
  { start, end, path }: JsonLeaf,
  { text, detect, cue }: { text: string; detect: Detect; cue: Cue | undefined },
): Replacement[] {
  const value = text.slice(start, end);
  if (value.length < CUED_DIGITS_MIN || !/^-?\d+$/.test(value)) return [];
  const isCountKey = cue?.isCount === true && typeof path.at(-1) === 'string';
  const hasCue = cue?.isPersonal === true && !isCountKey;
  const mayHaveCheckDigit = value.length >= CHECKED_DIGITS_MIN && value.charAt(0) !== '-';
  if (!hasCue && !mayHaveCheckDigit) return [];
  const span = findSpans(value, detect, cue?.prefix).find(
    (candidate) => candidate.start <= 1 && candidate.end === value.length,
  );
  if (span === undefined || !(hasCue || CHECKED_CATEGORIES.has(span.category))) return [];
  return [{ start, end, kind: span.category, value, quote: '"' }];
}

const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;

/**
 * Finds personal data in a file name. The extension is not masked, because the provider derives the
 * file type from it.
 */
export function findInFileName(
  name: string,
  prefix: string | undefined,
  detect: Detect,
): Replacement[] {
  const stem = name.replace(EXTENSION, '');
  const spans = findSpans(stem, detect, prefix);
  if (spans.length > 0) return toReplacements(stem, spans);
  // What looks like the extension of an e-mail address is its top-level domain, which is not
  // masked.
  const trimmedSpans = findSpans(name, detect, prefix).map((span) => ({
    ...span,
    end: Math.min(span.end, stem.length),
  }));
  return toReplacements(
    stem,
    trimmedSpans.filter(({ start, end }) => start < end),
  );
}
