import { isFenceOpen, readLines } from './read-lines.ts';
import type { Line } from './read-lines.ts';

/** Between which lengths a chunk is to end. */
export type Reach = { min: number; max: number };

/**
 * Finds where chunks end, one after the other in the order of a page: it remembers whether one
 * ended inside fenced code.
 */
export type Cutter = {
  /**
   * The length of the chunk that `window` begins with: between `min` and `max`, less only for a
   * character that would be torn. The window holds `LOOKAHEAD` more, to see what follows.
   */
  findCut: (window: string, reach: Reach) => number;
};

/** Units beyond the longest chunk that are seen: the whole code point that comes next. */
export const LOOKAHEAD = 2;

/** A place to cut at: the higher its rank, the better. */
type CutPoint = { at: number; rank: number };

const RANK = { heading: 6, paragraph: 5, item: 4, sentence: 3, line: 2, word: 1 };

export const createCutter = (): Cutter => {
  let isCode = false;
  return {
    findCut: (window, { min, max }) => {
      const from = lineBefore(window, min);
      const lines = readLines(window, from, isFenceOpen(window.slice(0, from), isCode));
      const headed = startsAfterHeadings(lines);
      const canCut = ({ at }: CutPoint): boolean =>
        // What a heading is of stays with it.
        at >= min && at <= max && !headed.has(at) && isWhole(window, at);
      const byLine = lines.flatMap(cutPointBefore).reverse();
      const cut =
        findBest(
          byLine.filter(({ rank }) => rank > RANK.sentence),
          canCut,
        ) ??
        findBest([...byLine, ...cutPointsInLines(window, min, max).reverse()], canCut) ??
        lastWhole(window, max);
      isCode = isFenceOpen(window.slice(0, cut), isCode);
      return cut;
    },
  };
};

/** The start of the last line with words above the one that `at` is in: what it is counts. */
const lineBefore = (window: string, at: number): number => {
  const own = window.lastIndexOf('\n', at - 1) + 1;
  const before = window.slice(0, own).trimEnd().length;
  // Two, because a heading may be underlined.
  return window.lastIndexOf('\n', window.lastIndexOf('\n', before) - 1) + 1;
};

/** The first of the highest rank. */
const findBest = (
  cutPoints: readonly CutPoint[],
  canCut: (cutPoint: CutPoint) => boolean,
): number | undefined => {
  const ranks = Object.values(RANK);
  for (const rank of ranks) {
    const found = cutPoints.find((cutPoint) => cutPoint.rank === rank && canCut(cutPoint));
    if (found) return found.at;
  }
  return undefined;
};

/** The cut before a line: a chunk begins with its first word. */
const cutPointBefore = (line: Line, index: number, lines: readonly Line[]): CutPoint[] => {
  if (index === 0 || line.kind === 'blank') return [];
  return [{ at: line.start, rank: rankOf(line, lines[index - 1]!) }];
};

const rankOf = (line: Line, before: Line): number => {
  if (line.kind === 'heading') return RANK.heading;
  if (line.kind === 'code') return RANK.item;
  if (before.kind === 'blank') return RANK.paragraph;
  return line.kind === 'item' || before.kind === 'code' ? RANK.item : RANK.line;
};

const startsAfterHeadings = (lines: readonly Line[]): ReadonlySet<number> => {
  const worded = lines.filter(({ kind }) => kind !== 'blank');
  return new Set(
    worded.filter((_, index) => worded[index - 1]?.kind === 'heading').map(({ start }) => start),
  );
};

/** Where sentences and words end, and where text without spaces may be parted, in their order. */
const cutPointsInLines = (window: string, min: number, max: number): CutPoint[] => {
  const cutPoints: CutPoint[] = [];
  GAP.lastIndex = Math.max(0, min - 1);
  for (let gap = GAP.exec(window); gap && GAP.lastIndex <= max; gap = GAP.exec(window)) {
    const isSentence =
      gap[1] === undefined
        ? SENTENCE_END.test(window.slice(Math.max(0, gap.index - TAIL), gap.index))
        : WIDE_SENTENCE_END.test(gap[1]);
    cutPoints.push({ at: GAP.lastIndex, rank: isSentence ? RANK.sentence : RANK.word });
  }
  return cutPoints;
};

/** White space, or a sign after which Chinese and Japanese need none. */
const GAP = /\s+|([。！？｡、，；：][”’」』）》】]{0,3})/g;
const SENTENCE_END = /[.!?…][\p{Pe}\p{Pf}"'*_]{0,3}$/u;
const WIDE_SENTENCE_END = /^[。！？｡]/;
/** Units that can stand between a sentence's stop and the space after it, with the stop. */
const TAIL = 5;

/** What a reader takes for one character: an accented letter, a family of emoji, a flag. */
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Whether a cut tears no character. It depends on all that stands before, flags for one. */
const isWhole = (window: string, at: number): boolean => {
  // Between most letters nothing has to be asked: only CR LF is one, and only higher signs join.
  const isPlain = window.charCodeAt(at - 1) < 0x300 && window.charCodeAt(at) < 0x300;
  if (isPlain && window[at] !== '\n') return true;
  return (CHARACTERS.segment(window).containing(at)?.index ?? at) === at;
};

/** The longest that tears nothing; a "character" beyond a chunk is torn between code points. */
const lastWhole = (window: string, max: number): number => {
  const whole = CHARACTERS.segment(window).containing(max)?.index ?? max;
  if (whole > 0) return whole;
  return (window.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max;
};
