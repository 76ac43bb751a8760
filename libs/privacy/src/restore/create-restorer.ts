import type { PlaceholderTable } from '../mask/placeholders.ts';
import { createMatcher } from './create-matcher.ts';
import type { RestoreTarget, Matcher } from './create-matcher.ts';
import { createNameReader } from './create-name-reader.ts';
import type { NameReader } from './create-name-reader.ts';

export type Restorer = {
  /**
   * Replaces the placeholders of this table by their values, even if a model changed their case or
   * their brackets. Leaves unknown placeholders unchanged.
   */
  restore(text: string): string;
  /** Reverses `maskJsonText`: escapes the values for JSON, unless the text is not valid JSON. */
  restoreJsonText(text: string): string;
  /**
   * Creates a stream for one field of one content block of a streamed response. Set `insideJson`
   * for tool arguments. The masking of the request must be complete.
   */
  createRestoreStream(target?: RestoreTarget): RestoreStream;
};

/** Creates a restorer. The table may still grow: every restore uses its current names. */
export function createRestorer(table: PlaceholderTable): Restorer {
  let cached: { reader: NameReader; size: number } | undefined;

  function openStream(target?: RestoreTarget): RestoreStream {
    if (cached?.size !== table.size) cached = { reader: createNameReader(table), size: table.size };
    return createRestoreStream(createMatcher(cached.reader, target));
  }

  function restoreAll(text: string, target?: RestoreTarget): string {
    if (table.size === 0) return text;
    const stream = openStream(target);
    return stream.push(text) + stream.end();
  }

  return {
    restore: (text) => restoreAll(text),
    restoreJsonText: (text) => restoreAll(text, { insideJson: isJson(text) }),
    createRestoreStream: openStream,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // Invalid JSON was masked as plain text, so it is restored as plain text.
  }
}

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
function createRestoreStream(matcher: Matcher): RestoreStream {
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
