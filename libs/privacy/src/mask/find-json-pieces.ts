import { escapeJson } from './escape-json.ts';
import { findSpans, findSuspects, toPieces } from './find-pieces.ts';
import type { Detect, Piece, Stretch, Suspect } from './find-pieces.ts';
import { findInFileName, findInKey, findInNumber } from './find-in-leaf.ts';
import { createCueReader } from './json-cue.ts';
import type { CueReader } from './json-cue.ts';
import { decodeString, walkJson } from './walk-json.ts';
import type { JsonLeaf, JsonPath } from './walk-json.ts';

/**
 * What stands at a path of a JSON text. Strings of `text` are masked. Around `data` keys and
 * numbers are masked too. A `name` is masked as a whole, in the form that providers take, when it
 * holds personal data or names a person of the call; a `filename` keeps its extension. What is
 * `fixed` is read, counted and left. What is `unread` may be anything.
 */
export type JsonPlace = 'text' | 'data' | 'name' | 'filename' | 'fixed' | 'unread';

export type JsonMaskOptions = {
  /**
   * The place of a string, number or key, whose path ends in itself; everything is `data` without
   * it. `root` is the parsed text, for what only the neighbours of a leaf can tell.
   */
  placeOf?: ((path: JsonPath, root: unknown, kind: JsonLeaf['kind']) => JsonPlace) | undefined;
};

export type JsonPieces = {
  pieces: Piece[];
  suspects: Suspect[];
  /** Names of participants, whole. */
  names: Stretch[];
  /** How many values were found in fixed places. */
  left: number;
};

/** How a text is read, and the texts that are nested in it. */
type Reading = JsonMaskOptions & { detect: Detect; cues: CueReader; nesting: number };

/** JSON in a string of JSON, and so on; the strings of what is nested deeper are plain text. */
const NESTING_MAX = 4;

/** What to replace in a JSON text, ascending; undefined for what is none. Throws JsonDepthError. */
export function findJsonPieces(
  text: string,
  { detect, placeOf }: JsonMaskOptions & { detect: Detect },
): JsonPieces | undefined {
  const cues = createCueReader();
  return readText(text, { detect: readKeysOnce(detect), placeOf, cues, nesting: 0 });
}

function readText(text: string, reading: Reading): JsonPieces | undefined {
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  const all: JsonPieces = { pieces: [], suspects: [], names: [], left: 0 };
  const { detect, placeOf, cues } = reading;
  walkJson(text, (leaf) => {
    const place = placeOf?.(leaf.path, parsed.root, leaf.kind) ?? 'data';
    if (leaf.kind === 'number') {
      if (place === 'data')
        all.pieces.push(...findInNumber(leaf, { text, detect, cue: cues.cueOf(leaf.path) }));
      return;
    }
    const isKey = leaf.kind === 'key';
    if (place === 'unread' && !isKey) return;
    const decoded = decodeString(text, leaf.start, leaf.end);
    if (place === 'fixed' || (isKey && place !== 'data')) {
      all.left += detect(decoded, { withoutNames: true }).length;
      if (!isKey) return;
    }
    if (place === 'name' && !isKey) {
      all.names.push(toJson(text, wholeOf(decoded), createOffsets(text, leaf, decoded)));
      return;
    }
    const found = findInString(reading, { leaf, decoded, place });
    const looks = findSuspects(decoded, found);
    if (found.length + looks.length === 0) return;
    const toRaw = createOffsets(text, leaf, decoded);
    // Not as arguments of one call: a leaf may hold hundreds of thousands.
    for (const one of found) all.pieces.push(toJson(text, one, toRaw));
    for (const one of looks) {
      all.suspects.push({ ...toJson(text, one, toRaw), always: one.always && !isKey });
    }
  });
  return all;
}

function parseJson(text: string): { root: unknown } | undefined {
  try {
    return { root: JSON.parse(text) as unknown };
  } catch {
    return undefined; // Then it is masked as plain text.
  }
}

/** The same keys stand in every row of a document: each is read once. */
function readKeysOnce(detect: Detect): Detect {
  const known = new Map<string, ReturnType<Detect>>();
  return (text, options) => {
    if (options?.withoutNames !== true) return detect(text, options);
    const spans = known.get(text) ?? detect(text, options);
    known.set(text, spans);
    return spans;
  };
}

const wholeOf = (value: string): Stretch => ({ start: 0, end: value.length, value });

type Leaf = { leaf: JsonLeaf; decoded: string; place: JsonPlace };

/** Pieces of a string leaf or key, in its decoded text. */
function findInString(reading: Reading, { leaf, decoded, place }: Leaf): Piece[] {
  const { detect, cues, nesting } = reading;
  const { path } = leaf;
  if (leaf.kind === 'key') {
    return place === 'data' ? findInKey(decoded, cues.cueOf(path, path.length - 1), detect) : [];
  }
  const prefix = cues.cueOf(path)?.prefix;
  if (place === 'filename') return findInFileName(decoded, prefix, detect);
  const inner =
    nesting + 1 < NESTING_MAX && /^\s*[[{]/.test(decoded)
      ? readText(decoded, { detect, cues, nesting: nesting + 1 })
      : undefined;
  // A value in nested JSON is kept as it stands there, so that one way of escaping restores both.
  return (
    inner?.pieces.map((one) => ({ ...one, value: decoded.slice(one.start, one.end) })) ??
    toPieces(decoded, findSpans(decoded, detect, prefix))
  );
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
