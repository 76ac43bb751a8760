import { escapeJson } from './escape-json.ts';
import { findSpans, findSuspects, toPieces, wordsOf } from './find-pieces.ts';
import type { Detect, Piece, Stretch, Suspect } from './find-pieces.ts';
import { decodeString, walkJson } from './walk-json.ts';
import type { JsonLeaf, JsonPath } from './walk-json.ts';

export type JsonMaskOptions = {
  /**
   * Leaves that are left as they are: ids, base64 media, signatures, enum values. `root` is the
   * parsed text, for what only the neighbours of a leaf can tell.
   */
  isExempt?: ((path: JsonPath, root: unknown) => boolean) | undefined;
};

export type JsonPieces = { pieces: Piece[]; suspects: Suspect[] };

type Context = JsonMaskOptions & { text: string; detect: Detect; nesting: number };

/** JSON in a string of JSON, and so on; the strings of what is nested deeper are plain text. */
const NESTING_MAX = 4;

/** What to replace in a JSON text, ascending; undefined for what is none. Throws JsonDepthError. */
export function findJsonPieces(
  text: string,
  { detect, isExempt, nesting = 0 }: JsonMaskOptions & { detect: Detect; nesting?: number },
): JsonPieces | undefined {
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  const pieces: Piece[] = [];
  const suspects: Suspect[] = [];
  const context: Context = { text, detect, isExempt, nesting };
  walkJson(text, (leaf) => {
    const isKey = leaf.kind === 'key';
    // Thinking comes back with placeholders of ours in it and a signature over them: untouched.
    if (!isKey && isExempt?.(leaf.path, parsed.root) === true) return;
    if (leaf.kind === 'number') {
      pieces.push(...findInNumber(context, leaf));
      return;
    }
    const decoded = decodeString(text, leaf.start, leaf.end);
    const found = isKey ? [] : findInString(context, { leaf, decoded });
    const looks = findSuspects(decoded, found);
    if (found.length + looks.length === 0) return;
    const toRaw = createOffsets(text, leaf, decoded);
    // Not as arguments of one call: a leaf may hold hundreds of thousands.
    for (const one of found) pieces.push(toJson(text, one, toRaw));
    for (const one of looks) {
      suspects.push({ ...toJson(text, one, toRaw), always: one.always && !isKey });
    }
  });
  return { pieces, suspects };
}

function parseJson(text: string): { root: unknown } | undefined {
  try {
    return { root: JSON.parse(text) as unknown };
  } catch {
    return undefined; // Then it is masked as plain text.
  }
}

/** Pieces of a string leaf, in its decoded text. */
function findInString(
  { detect, nesting }: Context,
  { leaf, decoded }: { leaf: JsonLeaf; decoded: string },
): Piece[] {
  const inner =
    nesting + 1 < NESTING_MAX && /^\s*[[{]/.test(decoded)
      ? findJsonPieces(decoded, { detect, nesting: nesting + 1 })
      : undefined;
  // A value in nested JSON is kept as it stands there, so that one way of escaping restores both.
  return (
    inner?.pieces.map((one) => ({ ...one, value: decoded.slice(one.start, one.end) })) ??
    toPieces(decoded, findSpans(decoded, detect, leaf.key))
  );
}

/** Keys whose numbers are personal data. Other numbers are amounts, counts and times. */
const CUE_KEY =
  /\b(?:phones?|telephones?|tel|mobile|cell|fax|ssn|social security|social insurance|sin|nino|card|pan|iban|account|acct|routing|passport|licen[cs]e|tax|vat|tin|itin|ein|national id|identity|nhs|cpf|pesel|bsn|dni|aadhaar)\b/i;

const DIGITS_MIN = 4;

/** A number is replaced as a whole, by a placeholder in quotes. */
function findInNumber({ text, detect }: Context, leaf: JsonLeaf): Piece[] {
  const { start, end, key } = leaf;
  const value = text.slice(start, end);
  if (key === undefined || value.length < DIGITS_MIN || !/^-?\d+$/.test(value)) return [];
  if (!CUE_KEY.test(wordsOf(key))) return [];
  const span = findSpans(value, detect, key).find(
    (one) => one.start <= 1 && one.end === value.length,
  );
  if (span === undefined) return [];
  return [{ start, end, kind: span.category, value, quote: '"' }];
}

/** A stretch of a leaf where it stands in the JSON text, and how it is spelled there. */
function toJson<T extends Stretch & { quote?: string | undefined }>(
  text: string,
  stretch: T,
  toRaw: (offset: number) => number,
): T {
  const start = toRaw(stretch.start);
  const end = toRaw(stretch.end);
  const { quote } = stretch;
  if (quote !== undefined)
    return { ...stretch, start, end, json: undefined, quote: escapeJson(quote) };
  const raw = text.slice(start, end);
  return { ...stretch, start, end, json: raw === escapeJson(stretch.value) ? undefined : raw };
}

/** From offsets of the decoded text of a leaf to offsets of the JSON text. */
function createOffsets(
  text: string,
  { start, end }: JsonLeaf,
  decoded: string,
): (offset: number) => number {
  if (decoded.length === end - start) return (offset) => start + offset;
  const offsets = new Uint32Array(decoded.length + 1);
  for (let at = start, index = 0; index <= decoded.length; index += 1) {
    offsets[index] = at;
    at += text.charAt(at) !== '\\' ? 1 : text.charAt(at + 1) === 'u' ? 6 : 2;
  }
  return (offset) => offsets[offset] as number;
}
