import type { Matcher } from './create-matcher.ts';

/**
 * Restores a text that arrives in arbitrary chunks. Each field of each content block needs its own
 * stream.
 */
export type RestoreStream = {
  /**
   * Returns all restored text that is not yet returned, except for an end that may become a
   * placeholder.
   */
  push(piece: string): string;
  /** Returns the restored rest of the text. Must be the last call. */
  end(): string;
  readonly bufferedSize: number;
};

const CONTEXT_LENGTH = 2;

/** Creates a stream whose total output does not depend on how the text is split into chunks. */
export function createRestoreStream(matcher: Matcher): RestoreStream {
  // Text from `from` on is not returned yet; the text before it is retained as context.
  let buffer = '';
  let from = 0;

  function advance(isEnd: boolean): string {
    let restored = '';
    let index = from;
    for (;;) {
      const start = matcher.nextStart(buffer, index);
      const match =
        start < buffer.length ? matcher.matchAt(buffer, start, { isEnd }) : ('incomplete' as const);
      if (match === 'incomplete') {
        restored += buffer.slice(from, start);
        from = start;
        break;
      }
      index = start + 1;
      if (match === undefined) continue;
      restored += buffer.slice(from, start) + match.text;
      from = match.end;
      index = match.end;
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
