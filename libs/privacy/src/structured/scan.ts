import type { Category, Span } from '../span.ts';
import type { Cue } from './cue-words.ts';
import type { DigitGroups } from './digit-groups.ts';

/** State of one scan. A block is a sequence of lines without an empty line. */
export type Scan = {
  readonly text: string;
  readonly spans: Span[];
  readonly groups: DigitGroups;
  lineStart: number;
  blockStart: number;
  header: { block: number; cells: readonly (Cue | undefined)[]; delimiter: number; end: number };
  /** End of the last URL. Plain numbers before it are parts of a path. */
  urlEnd: number;
  urlAtSign: number;
  /** Findings do not extend before this offset. */
  decidedEnd: number;
};

/** If `category` is undefined, there is no personal data up to `end`. */
export type Found = { start: number; end: number; category?: Category };

export function found(start: number, end: number, category: Category): Found {
  return { start, end, category };
}

export function skipTo(end: number): Found {
  return { start: end, end };
}
