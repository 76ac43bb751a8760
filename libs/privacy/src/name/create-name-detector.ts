import type { Span } from '../span.ts';
import { createCharTable } from './char-table.ts';
import { createClues, FEATURES, readClues, readPairs, writeFeatures } from './features.ts';
import { createPathFinder, WINDOW } from './find-path.ts';
import { LABELS, NAME_CATEGORIES, ROW } from './labels.ts';
import { NEVER_NAMES } from './never-names.ts';
import { addRepeats } from './add-repeats.ts';
import { markKeys } from './keys.ts';
import { packRows, sumPackedRows } from './packed-rows.ts';
import { createTokens, EDGES, tokenize, type Tokens } from './tokenize.ts';
import { unpackWeights, type NameWeights } from './weights.ts';
import { createWindowFinder, shiftFor } from './windows.ts';

/** Texts up to this length share buffers. */
const KEPT = 16_384;

const WORD_LENGTH_MAX = 40;
const LOWER_WORD = /^[^\p{L}\p{N}]*\p{Ll}+[^\p{L}\p{N}]*$/u;

/** Finds names in a text, outside the spans that are taken; results are sorted. */
export type NameDetector = (text: string, taken: readonly Span[]) => Span[];

/** A detector of persons, addresses, organisations and places. */
export const createNameDetector = (weights: NameWeights = unpackWeights()): NameDetector => {
  const table = createCharTable();
  const finder = createPathFinder();
  const keptTokens = createTokens(KEPT);
  const keptClues = createClues(KEPT + EDGES);
  const path = new Uint8Array(WINDOW);
  const forEachWindow = createWindowFinder(weights.gate);
  const rows = packRows(weights.rows);
  const steps = Float64Array.from(weights.steps);
  const shift = shiftFor(weights.rows.length / ROW);
  if (weights.steps.length !== LABELS * LABELS) throw new RangeError('Not weights of this model.');
  return (text, taken) => {
    // Nothing tells `grace` from a name: one word is mostly a command, a tag or an answer.
    if (text.length <= WORD_LENGTH_MAX && LOWER_WORD.test(text)) return [];
    const isShort = text.length <= KEPT;
    const tokens = tokenize(text, taken, table, isShort ? keptTokens : undefined);
    markKeys(text, tokens, table);
    const clues = readClues(tokens, weights.gazetteer, isShort ? keptClues : undefined);
    const spans: Span[] = [];
    forEachWindow(tokens, clues, (from, to) => {
      readPairs(tokens, clues, weights.gazetteer, from, to);
      for (let at = from; at < to; at++)
        writeFeatures(text, tokens, clues, at, shift, finder.features, (at - from) * FEATURES);
      sumPackedRows(rows, finder.features, finder.emissions, to - from);
      finder.find({ steps }, to - from, path);
      addSpans(spans, tokens, from, to, path);
    });
    const names = spans.filter(
      ({ start, end }) => !isNobody(text.slice(start, end)) && !isVariable(text, start, end),
    );
    return addRepeats(names, tokens, clues);
  };
};

/** `JSON`, `valid JSON`, `pi`: nothing of it is written as a name is but what never is one. */
const isNobody = (name: string): boolean => {
  const words = name.split(/\s+/);
  const isOther = (word: string): boolean => !NEVER_NAMES.has(word) && !/^\p{Ll}/u.test(word);
  if (/^\p{Ll}{1,2}$/u.test(name)) return true;
  return words.some((word) => NEVER_NAMES.has(word)) && !words.some(isOther);
};

/** `lon=2.35`, `pi ≈ 3.14`: a word in small letters before its value. */
const isVariable = (text: string, start: number, end: number): boolean =>
  /^\p{Ll}+$/u.test(text.slice(start, end)) && /^\s*[=≈]/u.test(text.slice(end, end + 3));

const addSpans = (
  spans: Span[],
  { start, end }: Tokens,
  from: number,
  to: number,
  path: Uint8Array,
): void => {
  for (let at = from; at < to; at++) {
    const label = path[at - from]!;
    if (label === 0) continue;
    const last = spans.at(-1);
    if (label % 2 === 0 && last !== undefined) last.end = end[at]!;
    else
      spans.push({
        start: start[at]!,
        end: end[at]!,
        category: NAME_CATEGORIES[(label - 1) >> 1]!,
      });
  }
};
