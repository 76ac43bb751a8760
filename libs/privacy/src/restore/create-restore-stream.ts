import type { Matcher } from './create-matcher.ts';

/** Restores a text that arrives in pieces, cut anywhere. One stream for each block and field. */
export type RestoreStream = {
  /** What may leave now: all but an end that may yet become a placeholder of this table. */
  push(piece: string): string;
  /** What was held back. Nothing may be pushed behind it. */
  end(): string;
  /** How many code units are held back now; 0 nearly always. */
  readonly bufferedSize: number;
};

/** What decides whether a bare name begins a word. */
const CONTEXT_LENGTH = 2;

/** Wherever the text is cut, the same comes out. */
export function createRestoreStream(matcher: Matcher): RestoreStream {
  // What has left stays in the buffer for as long as it is context: `from` is where the rest
  // begins.
  let buffer = '';
  let from = 0;

  function advance(isEnd: boolean): string {
    let restored = '';
    let at = from;
    for (;;) {
      const start = matcher.nextStart(buffer, at);
      const match =
        start < buffer.length ? matcher.matchAt(buffer, start, { isEnd }) : ('more' as const);
      if (match === 'more') {
        restored += buffer.slice(from, start);
        from = start;
        break;
      }
      at = start + 1;
      if (match === undefined) continue;
      restored += buffer.slice(from, start) + match.text;
      from = match.end;
      at = match.end;
    }
    const drop = Math.max(0, from - CONTEXT_LENGTH);
    buffer = buffer.slice(drop);
    from -= drop;
    return restored;
  }

  return {
    push(piece) {
      buffer += piece;
      return advance(false);
    },
    end: () => advance(true),
    get bufferedSize() {
      return buffer.length - from;
    },
  };
}
