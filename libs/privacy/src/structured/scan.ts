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
  /**
   * End offset of the last URL. Plain numbers in a URL are classified only as dates or IP
   * addresses.
   */
  urlEnd: number;
  urlAtSign: number;
  /** End of the text that is already classified. Words are not extended back beyond it. */
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
