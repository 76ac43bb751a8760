import type { Category, Span } from '../span.ts';
import type { Cue } from './cue-words.ts';
import type { DigitGroups } from './digit-groups.ts';

/**
 * What one pass over a text knows: where the line and its block of lines began, and what it found.
 */
export type Scan = {
  readonly text: string;
  readonly spans: Span[];
  readonly groups: DigitGroups;
  lineStart: number;
  blockStart: number;
  /** The header of the block at `block`, if its columns have cues. */
  header: { block: number; cells: readonly (Cue | undefined)[]; delimiter: number; end: number };
  /** A URL reaches to here: plain numbers inside it are paths, not people. */
  urlEnd: number;
  /** The `@` before the host of that URL is of no mailbox. */
  hostAt: number;
  /** All before here is decided: no word reaches back over it. */
  done: number;
};

/** A finding, or nothing but how far the text is known to hold none. */
export type Found = { start: number; end: number; category?: Category };

/** A finding of `category` at `[start, end)`. */
export function found(start: number, end: number, category: Category): Found {
  return { start, end, category };
}

/** Nothing personal up to `end`. */
export function clean(end: number): Found {
  return { start: end, end };
}
