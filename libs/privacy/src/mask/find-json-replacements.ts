import { escapeJson } from './create-placeholder-table.ts';
import { runSteps, STEP_UNITS } from '../steps.ts';
import type { Steps } from '../steps.ts';
import {
  findSpans,
  findSpansInSteps,
  findUnmaskedLookalikes,
  toReplacements,
} from './find-replacements.ts';
import type { Detect, Replacement, ValueRange, Lookalike } from './find-replacements.ts';
import { findInFileName, findInKey, findInNumber } from './find-in-leaf.ts';
import { createCueReader } from './json-cue.ts';
import type { CueReader } from './json-cue.ts';
import { decodeString, walkJson } from './walk-json.ts';
import type { JsonLeaf, JsonPath } from './walk-json.ts';

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

export type JsonReplacements = {
  replacements: Replacement[];
  lookalikes: Lookalike[];
  names: ValueRange[];
  unmasked: number;
};

type ScanContext = JsonMaskOptions & { detect: Detect; cues: CueReader; nesting: number };

/**
 * Maximum number of levels of JSON within JSON strings, including the outermost text. Deeper
 * strings are masked as plain text.
 */
const NESTING_MAX = 4;

/**
 * Returns the replacements in ascending order, or undefined for invalid JSON. Throws JsonDepthError
 * if objects or arrays are nested too deeply.
 */
export function* findJsonReplacements(
  text: string,
  { detect, roleOf }: JsonMaskOptions & { detect: Detect },
): Steps<JsonReplacements | undefined> {
  const cues = createCueReader();
  return yield* scanText(text, { detect: memoizeKeys(detect), roleOf, cues, nesting: 0 });
}

function* scanText(text: string, context: ScanContext): Steps<JsonReplacements | undefined> {
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  const result: JsonReplacements = { replacements: [], lookalikes: [], names: [], unmasked: 0 };
  const { detect, roleOf, cues } = context;
  let pauseAt = STEP_UNITS;
  for (const leaf of walkJson(text)) {
    if (leaf.start >= pauseAt) {
      yield;
      pauseAt = leaf.start + STEP_UNITS;
    }
    const role = roleOf?.(leaf.path, parsed.root, leaf.kind) ?? 'data';
    if (leaf.kind === 'number') {
      if (role === 'data')
        result.replacements.push(
          ...findInNumber(leaf, { text, detect, cue: cues.cueOf(leaf.path) }),
        );
      continue;
    }
    const isKey = leaf.kind === 'key';
    if (role === 'unread' && !isKey) continue;
    const decoded = decodeString(text, leaf.start, leaf.end);
    if (role === 'fixed' || (isKey && role !== 'data')) {
      result.unmasked += detect(decoded, { withoutNames: true }).length;
      if (!isKey) continue;
    }
    if (role === 'name' && !isKey) {
      result.names.push(
        toJsonRange(text, toWholeRange(decoded), createOffsetMap(text, leaf, decoded)),
      );
      continue;
    }
    const string = { leaf, decoded, role };
    const found =
      decoded.length > STEP_UNITS
        ? yield* findInLongString(context, string)
        : findInString(context, string);
    const lookalikes = findUnmaskedLookalikes(decoded, found);
    if (found.length + lookalikes.length === 0) continue;
    const toRaw = createOffsetMap(text, leaf, decoded);
    // Pushed one by one, because spreading hundreds of thousands of arguments would overflow the
    // stack.
    for (const replacement of found)
      result.replacements.push(toJsonRange(text, replacement, toRaw));
    for (const lookalike of lookalikes) {
      result.lookalikes.push({
        ...toJsonRange(text, lookalike, toRaw),
        alwaysEscaped: lookalike.alwaysEscaped && !isKey,
      });
    }
  }
  return result;
}

function parseJson(text: string): { root: unknown } | undefined {
  try {
    return { root: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function memoizeKeys(detect: Detect): Detect {
  const cache = new Map<string, ReturnType<Detect>>();
  const detectOnce: Detect = (text, options) => {
    if (options?.withoutNames !== true) return detect(text, options);
    const spans = cache.get(text) ?? detect(text, options);
    cache.set(text, spans);
    return spans;
  };
  return Object.assign(detectOnce, detect.inSteps && { inSteps: detect.inSteps });
}

const toWholeRange = (value: string): ValueRange => ({ start: 0, end: value.length, value });

type Leaf = { leaf: JsonLeaf; decoded: string; role: JsonRole };

function findInString(context: ScanContext, { leaf, decoded, role }: Leaf): Replacement[] {
  const { detect, cues, nesting } = context;
  const { path } = leaf;
  if (leaf.kind === 'key') {
    return role === 'data' ? findInKey(decoded, cues.cueOf(path, path.length - 1), detect) : [];
  }
  const prefix = cues.cueOf(path)?.prefix;
  if (role === 'filename') return findInFileName(decoded, prefix, detect);
  const inner = isNestedJson(context, decoded)
    ? runSteps(scanText(decoded, { detect, cues, nesting: nesting + 1 }))
    : undefined;
  return inner
    ? toOuterReplacements(inner, decoded)
    : toReplacements(decoded, findSpans(decoded, detect, prefix));
}

function* findInLongString(context: ScanContext, string: Leaf): Steps<Replacement[]> {
  const { detect, cues, nesting } = context;
  const { leaf, decoded, role } = string;
  if (leaf.kind === 'key' || role === 'filename') return findInString(context, string);
  const inner = isNestedJson(context, decoded)
    ? yield* scanText(decoded, { detect, cues, nesting: nesting + 1 })
    : undefined;
  return inner
    ? toOuterReplacements(inner, decoded)
    : toReplacements(decoded, yield* findSpansInSteps(decoded, detect));
}

const isNestedJson = ({ nesting }: ScanContext, decoded: string): boolean =>
  nesting + 1 < NESTING_MAX && /^\s*[[{]/.test(decoded);

/**
 * Returns the replacements in nested JSON for the string that holds it. A value is stored with its
 * inner escapes, so that restoring needs only one level of escaping.
 */
const toOuterReplacements = ({ replacements }: JsonReplacements, decoded: string): Replacement[] =>
  replacements.map((replacement) => ({
    ...replacement,
    value: decoded.slice(replacement.start, replacement.end),
  }));

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
