import type { Category } from '../span.ts';
import { findSpans, toPieces } from './find-pieces.ts';
import type { Detect, Piece } from './find-pieces.ts';
import type { Cue } from './json-cue.ts';
import type { JsonLeaf } from './walk-json.ts';

/**
 * Structured classes, secrets and the workspace's words in a key, whose own words are no prose.
 * `above` is of the key above: `{"ssns": {"536904399": ...}}`.
 */
export function findInKey(key: string, above: Cue | undefined, detect: Detect): Piece[] {
  const prefix = above?.isPersonal === true ? above.prefix : '';
  const options = { withoutNames: true };
  return toPieces(
    key,
    findSpans(key, (text) => detect(text, options), prefix),
  );
}

/** A shorter number has no check digit, and is an identifier by its key only. */
const CHECKED_DIGITS_MIN = 9;
const CUED_DIGITS_MIN = 4;

/** Classes that the detector knows by a check digit or by a key that names nothing else. */
const CHECKED: ReadonlySet<Category> = new Set(['CREDIT_CARD', 'IBAN', 'NATIONAL_ID', 'TAX_ID']);

/**
 * An integer that is personal data: any class below a key that names personal data, a checked class
 * below any other. It is replaced as a whole, by a placeholder in quotes.
 */
export function findInNumber(
  { start, end, path }: JsonLeaf,
  { text, detect, cue }: { text: string; detect: Detect; cue: Cue | undefined },
): Piece[] {
  const value = text.slice(start, end);
  if (value.length < CUED_DIGITS_MIN || !/^-?\d+$/.test(value)) return [];
  const isCounted = cue?.isCount === true && typeof path.at(-1) === 'string';
  const isCued = cue?.isPersonal === true && !isCounted;
  const mayBeChecked = value.length >= CHECKED_DIGITS_MIN && value.charAt(0) !== '-';
  if (!isCued && !mayBeChecked) return [];
  const span = findSpans(value, detect, cue?.prefix).find(
    (one) => one.start <= 1 && one.end === value.length,
  );
  if (span === undefined || !(isCued || CHECKED.has(span.category))) return [];
  return [{ start, end, kind: span.category, value, quote: '"' }];
}

const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;

/** The name of a file, whose extension says to a provider what is in it. */
export function findInFileName(name: string, prefix: string | undefined, detect: Detect): Piece[] {
  const stem = name.replace(EXTENSION, '');
  const spans = findSpans(stem, detect, prefix);
  if (spans.length > 0) return toPieces(stem, spans);
  // An address that ends in its domain has no extension; all but that is masked.
  const cut = findSpans(name, detect, prefix).map((one) => ({
    ...one,
    end: Math.min(one.end, stem.length),
  }));
  return toPieces(
    stem,
    cut.filter(({ start, end }) => start < end),
  );
}
