import type { PlaceholderTable } from '../mask/create-placeholder-table.ts';
import { createMatcher } from './create-matcher.ts';
import type { RestoreTarget } from './create-matcher.ts';
import { createNameReader } from './create-name-reader.ts';
import type { NameReader } from './create-name-reader.ts';
import { createRestoreStream } from './create-restore-stream.ts';
import type { RestoreStream } from './create-restore-stream.ts';

export type Restorer = {
  /**
   * Replaces the placeholders of this table by their values, in every form in which models write
   * them. Leaves unknown placeholders unchanged.
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
