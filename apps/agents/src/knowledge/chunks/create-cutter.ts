import { isFenceOpen, readLines } from './read-lines.ts';
import type { Line } from './read-lines.ts';

export type LengthRange = { min: number; max: number };

/**
 * Finds the ends of successive chunks of a page and tracks whether a chunk ended inside a code
 * block.
 */
type Cutter = {
  /**
   * Returns the length of the first chunk of `window`: between `min` and `max`, or less if only
   * that avoids splitting a grapheme. `window` must contain `LOOKAHEAD` units after `max`, if the
   * page has them.
   */
  findCut: (window: string, range: LengthRange) => number;
};

/** Number of UTF-16 units read beyond the longest chunk, enough for the whole next code point. */
export const LOOKAHEAD = 2;

type CutPoint = { position: number; rank: number };

const RANK = { heading: 6, paragraph: 5, item: 4, sentence: 3, line: 2, word: 1 };

export const createCutter = (): Cutter => {
  let isCode = false;
  return {
    findCut: (window, { min, max }) => {
      const from = lineBefore(window, min);
      const lines = readLines(window, from, isFenceOpen(window.slice(0, from), isCode));
      const underHeading = startsAfterHeadings(lines);
      const canCut = ({ position }: CutPoint): boolean =>
        position >= min &&
        position <= max &&
        !underHeading.has(position) &&
        isGraphemeBoundary(window, position);
      const lineCuts = lines.flatMap(cutPointBefore).reverse();
      const cut =
        findBest(
          lineCuts.filter(({ rank }) => rank > RANK.sentence),
          canCut,
        ) ??
        findBest([...lineCuts, ...cutPointsInLines(window, min, max).reverse()], canCut) ??
        lastGraphemeBoundary(window, max);
      isCode = isFenceOpen(window.slice(0, cut), isCode);
      return cut;
    },
  };
};

/**
 * Returns the start of a line from which the text includes the last non-blank line before that of
 * `position`, because the rank of a cut depends on the line before it.
 */
const lineBefore = (window: string, position: number): number => {
  const own = window.lastIndexOf('\n', position - 1) + 1;
  const before = window.slice(0, own).trimEnd().length;
  return window.lastIndexOf('\n', window.lastIndexOf('\n', before) - 1) + 1;
};

const findBest = (
  cutPoints: readonly CutPoint[],
  canCut: (cutPoint: CutPoint) => boolean,
): number | undefined => {
  const ranks = Object.values(RANK);
  for (const rank of ranks) {
    const found = cutPoints.find((cutPoint) => cutPoint.rank === rank && canCut(cutPoint));
    if (found) return found.position;
  }
  return undefined;
};

const cutPointBefore = (line: Line, index: number, lines: readonly Line[]): CutPoint[] => {
  if (index === 0 || line.kind === 'blank') return [];
  return [{ position: line.start, rank: rankOf(line, lines[index - 1]!) }];
};

const rankOf = (line: Line, before: Line): number => {
  if (line.kind === 'heading') return RANK.heading;
  if (line.kind === 'code') return RANK.item;
  if (before.kind === 'blank') return RANK.paragraph;
  return line.kind === 'item' || before.kind === 'code' ? RANK.item : RANK.line;
};

const startsAfterHeadings = (lines: readonly Line[]): ReadonlySet<number> => {
  const nonBlank = lines.filter(({ kind }) => kind !== 'blank');
  return new Set(
    nonBlank
      .filter((_, index) => nonBlank[index - 1]?.kind === 'heading')
      .map(({ start }) => start),
  );
};

const cutPointsInLines = (window: string, min: number, max: number): CutPoint[] => {
  const cutPoints: CutPoint[] = [];
  BREAK_POINT.lastIndex = Math.max(0, min - 1);
  for (
    let gap = BREAK_POINT.exec(window);
    gap && BREAK_POINT.lastIndex <= max;
    gap = BREAK_POINT.exec(window)
  ) {
    const isSentence =
      gap[1] === undefined
        ? SENTENCE_END.test(
            window.slice(Math.max(0, gap.index - SENTENCE_END_LENGTH_MAX), gap.index),
          )
        : WIDE_SENTENCE_END.test(gap[1]);
    cutPoints.push({
      position: BREAK_POINT.lastIndex,
      rank: isSentence ? RANK.sentence : RANK.word,
    });
  }
  return cutPoints;
};

/**
 * Possible cut within a line: white space, or Chinese or Japanese punctuation, which is usually not
 * followed by a space.
 */
const BREAK_POINT = /\s+|([。！？｡、，；：][”’」』）》】]{0,3})/g;
const SENTENCE_END = /[.!?…][\p{Pe}\p{Pf}"'*_]{0,3}$/u;
const WIDE_SENTENCE_END = /^[。！？｡]/;
/** Number of UTF-16 units before a gap in which `SENTENCE_END` is searched. */
const SENTENCE_END_LENGTH_MAX = 5;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns true if a cut at `position` splits no grapheme. That depends on all text before the cut:
 * each flag in a row of flags, for example, consists of two code points.
 */
const isGraphemeBoundary = (window: string, position: number): boolean => {
  // Fast path: below U+0300 the only grapheme of two units is CR LF.
  const isPlainBoundary =
    window.charCodeAt(position - 1) < 0x300 && window.charCodeAt(position) < 0x300;
  if (isPlainBoundary && window[position] !== '\n') return true;
  return (GRAPHEMES.segment(window).containing(position)?.index ?? position) === position;
};

/**
 * Returns the last position up to `max` that splits no grapheme. A grapheme longer than a chunk is
 * split between code points.
 */
const lastGraphemeBoundary = (window: string, max: number): number => {
  const whole = GRAPHEMES.segment(window).containing(max)?.index ?? max;
  if (whole > 0) return whole;
  return (window.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max;
};
