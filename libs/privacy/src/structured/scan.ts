import type { Category, Span } from '../span.ts';
import type { Cue } from './cue-words.ts';
import type { DigitGroups } from './digit-groups.ts';

/** State of the scan of one text. A block is a sequence of lines without an empty line. */
export type Scan = {
  readonly text: string;
  readonly spans: Span[];
  readonly groups: DigitGroups;
  lineStart: number;
  blockStart: number;
  header: { block: number; cells: readonly (Cue | undefined)[]; delimiter: number; end: number };
  /** End offset of the last URL. Plain numbers before it are parts of its path. */
  urlEnd: number;
  urlAtSign: number;
  /** End of the text that is already classified. Later findings start at or after this offset. */
  decidedEnd: number;
};

/**
 * A classified range. Without a category, the range contains no personal data and the scan skips
 * it.
 */
export type Found = { start: number; end: number; category?: Category };

export function found(start: number, end: number, category: Category): Found {
  return { start, end, category };
}

export function skipTo(end: number): Found {
  return { start: end, end };
}
