import type { Detect } from '../detect.ts';
import type { Category, Span } from '../span.ts';
import { STEP_UNITS } from '../steps.ts';
import type { Steps } from '../steps.ts';
import {
  findSpans,
  findSpansInSteps,
  findUnmaskedLookalikes,
  toReplacements,
} from './find-in-text.ts';
import type { Findings, Replacement, ValueRange } from './find-in-text.ts';
import { createCueReader } from './json-cue.ts';
import type { CueReader } from './json-cue.ts';
import { decodeString, escapeJson, walkJson } from './json-strings.ts';
import type { JsonLeaf, JsonPath } from './json-strings.ts';

/**
 * Determines how a string, key or number is masked. Keys and numbers are masked only with `data`,
 * strings with `text` and `data`. With `name`, a string is replaced as a whole if it contains
 * personal data or names a person of the request, using only characters that providers allow. With
 * `filename`, its extension is not masked. With `fixed`, the detected values are counted but not
 * masked, as they are in keys with any role except `data`. With `unread`, a string is skipped.
 */
export type JsonRole = 'text' | 'data' | 'name' | 'filename' | 'fixed' | 'unread';

export type JsonMaskOptions = {
  /**
   * Returns the role of a string, number or key; `data` for all by default. `root` is the parsed
   * text, for roles that depend on sibling members.
   */
  roleOf?: ((path: JsonPath, root: unknown, kind: JsonLeaf['kind']) => JsonRole) | undefined;
};

type JsonOptions = JsonMaskOptions & { detect: Detect };

/**
 * Finds what to replace in a JSON text; undefined for other text. Throws JsonDepthError if objects
 * or arrays are nested too deeply.
 */
export function findInJson(text: string, options: JsonOptions): Findings | undefined {
  return scanText(text, toContext(options));
}

/** Does the same in steps. */
export function findInJsonInSteps(text: string, options: JsonOptions): Steps<Findings | undefined> {
  return scanTextInSteps(text, toContext(options));
}

type Context = JsonMaskOptions & {
  detect: Detect;
  /** Detects in keys and fixed strings, of which a text repeats few. */
  detectInKey: (text: string) => readonly Span[];
  cues: CueReader;
  nesting: number;
};

const toContext = ({ detect, roleOf }: JsonOptions): Context => {
  const spansOfKey = new Map<string, readonly Span[]>();
  const detectInKey = (text: string): readonly Span[] => {
    const spans = spansOfKey.get(text) ?? detect(text, { withoutNames: true });
    spansOfKey.set(text, spans);
    return spans;
  };
  return { detect, detectInKey, roleOf, cues: createCueReader(), nesting: 0 };
};

type JsonText = { text: string; root: unknown; context: Context; findings: Findings };

type JsonString = { leaf: JsonLeaf; decoded: string; role: JsonRole };

function scanText(text: string, context: Context): Findings | undefined {
  const json = openJson(text, context);
  if (json === undefined) return undefined;
  const next = walkJson(text);
  for (let leaf = next(); leaf !== undefined; leaf = next()) {
    const string = readLeaf(json, leaf);
    if (string !== undefined) addFound(json, string, findInString(context, string));
  }
  return json.findings;
}

function* scanTextInSteps(text: string, context: Context): Steps<Findings | undefined> {
  const json = openJson(text, context);
  if (json === undefined) return undefined;
  let pauseAt = STEP_UNITS;
  const next = walkJson(text);
  for (let leaf = next(); leaf !== undefined; leaf = next()) {
    if (leaf.start >= pauseAt) {
      yield;
      pauseAt = leaf.start + STEP_UNITS;
    }
    const string = readLeaf(json, leaf);
    if (string === undefined) continue;
    const isLong = string.decoded.length > STEP_UNITS;
    const found = isLong ? yield* findInLongString(context, string) : findInString(context, string);
    addFound(json, string, found);
  }
  return json.findings;
}

function openJson(text: string, context: Context): JsonText | undefined {
  try {
    const root: unknown = JSON.parse(text);
    const findings = { replacements: [], lookalikes: [], names: [], unmasked: 0 };
    return { text, root, context, findings };
  } catch {
    return undefined;
  }
}

/** Processes a leaf, and returns it if it is a string or key in which values may be replaced. */
function readLeaf(
  { text, root, context, findings }: JsonText,
  leaf: JsonLeaf,
): JsonString | undefined {
  const { kind, path, start, end } = leaf;
  const role = context.roleOf?.(path, root, kind) ?? 'data';
  if (kind === 'number') {
    if (role === 'data') findings.replacements.push(...findInNumber(context, text, leaf));
    return undefined;
  }
  if (kind === 'key') {
    const key = path.at(-1) as string;
    if (role === 'data') return { leaf, decoded: key, role };
    findings.unmasked += context.detectInKey(key).length;
    return { leaf, decoded: key, role };
  }
  if (role === 'unread') return undefined;
  const decoded = decodeString(text, start, end);
  if (role === 'fixed') {
    findings.unmasked += context.detectInKey(decoded).length;
    return undefined;
  }
  if (role !== 'name') return { leaf, decoded, role };
  const range = { start: 0, end: decoded.length, value: decoded };
  findings.names.push(toJsonRange(text, range, createOffsetMap(text, leaf, decoded)));
  return undefined;
}

function addFound(
  { text, findings }: JsonText,
  { leaf, decoded }: JsonString,
  found: readonly Replacement[],
): void {
  const lookalikes = findUnmaskedLookalikes(decoded, found);
  if (found.length + lookalikes.length === 0) return;
  const toRaw = createOffsetMap(text, leaf, decoded);
  // Pushed one by one, because spreading hundreds of thousands of arguments would overflow the
  // stack.
  for (const replacement of found) {
    findings.replacements.push(toJsonRange(text, replacement, toRaw));
  }
  for (const lookalike of lookalikes) {
    const alwaysEscaped = lookalike.alwaysEscaped && leaf.kind !== 'key';
    findings.lookalikes.push({ ...toJsonRange(text, lookalike, toRaw), alwaysEscaped });
  }
}

function findInString(context: Context, string: JsonString): Replacement[] {
  const { detect, cues } = context;
  const { leaf, decoded, role } = string;
  if (leaf.kind === 'key') {
    return role === 'data' ? findInKey(context, decoded, leaf.path) : [];
  }
  const prefix = cues.cueOf(leaf.path)?.prefix;
  if (role === 'filename') return findInFileName(decoded, prefix, detect);
  const inner = mayBeNestedJson(context, decoded) ? scanText(decoded, toInner(context)) : undefined;
  return inner
    ? toOuterReplacements(inner, decoded)
    : toReplacements(decoded, findSpans(decoded, detect, prefix));
}

function* findInLongString(context: Context, string: JsonString): Steps<Replacement[]> {
  const { leaf, decoded, role } = string;
  if (leaf.kind === 'key' || role === 'filename') return findInString(context, string);
  const inner = mayBeNestedJson(context, decoded)
    ? yield* scanTextInSteps(decoded, toInner(context))
    : undefined;
  return inner
    ? toOuterReplacements(inner, decoded)
    : toReplacements(decoded, yield* findSpansInSteps(decoded, context.detect));
}

/**
 * Maximum number of levels of JSON within JSON strings, including the outermost text. Deeper
 * strings are masked as plain text.
 */
const NESTING_MAX = 4;
const JSON_START = /^\s*[[{]/;

const mayBeNestedJson = ({ nesting }: Context, decoded: string): boolean =>
  nesting + 1 < NESTING_MAX && JSON_START.test(decoded);

const toInner = ({ nesting, ...context }: Context): Context => ({
  ...context,
  roleOf: undefined,
  nesting: nesting + 1,
});

/**
 * Returns the replacements in nested JSON for the string that holds it. A value is stored with its
 * inner escapes, so that restoring needs only one level of escaping.
 */
const toOuterReplacements = ({ replacements }: Findings, decoded: string): Replacement[] =>
  replacements.map((replacement) => ({
    ...replacement,
    value: decoded.slice(replacement.start, replacement.end),
  }));

/**
 * Finds personal data in a JSON key, except names, because keys are not prose. The cue is that of
 * the parent key, such as `ssns` in `{"ssns": {"536904399": ...}}`.
 */
function findInKey({ cues, detectInKey }: Context, key: string, path: JsonPath): Replacement[] {
  const parentCue = cues.cueOf(path, path.length - 1);
  const prefix = parentCue?.isPersonal === true ? parentCue.prefix : '';
  return toReplacements(key, findSpans(key, detectInKey, prefix));
}

/** Minimum length of a number that is masked because its check digits are valid. */
const CHECKED_DIGITS_MIN = 9;
/** Minimum length of a number that is masked because its key names personal data, such as `ssn`. */
const CUED_DIGITS_MIN = 4;
const INTEGER = /^-?\d+$/;

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
function findInNumber(
  { detect, cues }: Context,
  text: string,
  { start, end, path }: JsonLeaf,
): Replacement[] {
  const value = text.slice(start, end);
  if (value.length < CUED_DIGITS_MIN || !INTEGER.test(value)) return [];
  const cue = cues.cueOf(path);
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
function findInFileName(name: string, prefix: string | undefined, detect: Detect): Replacement[] {
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

function toJsonRange<T extends ValueRange & { quote?: string | undefined }>(
  text: string,
  range: T,
  toRaw: (offset: number) => number,
): T {
  const start = toRaw(range.start);
  const end = toRaw(range.end);
  const { quote } = range;
  if (quote !== undefined)
    return { ...range, start, end, json: undefined, quote: escapeJson(quote) };
  const raw = text.slice(start, end);
  return { ...range, start, end, json: raw === escapeJson(range.value) ? undefined : raw };
}

function createOffsetMap(
  text: string,
  { start, end }: JsonLeaf,
  decoded: string,
): (offset: number) => number {
  if (decoded.length === end - start) return (offset) => start + offset;
  const offsets = new Uint32Array(decoded.length + 1);
  for (let offset = start, index = 0; index <= decoded.length; index += 1) {
    offsets[index] = offset;
    offset += text.charAt(offset) !== '\\' ? 1 : text.charAt(offset + 1) === 'u' ? 6 : 2;
  }
  return (offset) => offsets[offset] as number;
}
