import type { PlaceholderTable } from '../mask/create-placeholder-table.ts';
import { createMatcher } from './create-matcher.ts';
import type { RestoreTarget } from './create-matcher.ts';
import { createNameReader } from './create-name-reader.ts';
import type { NameReader } from './create-name-reader.ts';
import { createRestoreStream } from './create-restore-stream.ts';
import type { RestoreStream } from './create-restore-stream.ts';

/** Puts the values of one request's table back into its answer, and nothing else. */
export type Restorer = {
  /**
   * The text with values for this table's placeholders, in every form that models change them to. A
   * placeholder that is not of the table stays as it is.
   */
  restore(text: string): string;
  /** Undoes `maskJsonText`: values are escaped as JSON demands, unless the text is no JSON. */
  restoreJsonText(text: string): string;
  /**
   * For a text that arrives in pieces: one stream for each choice or block and each field.
   * `insideJson` for streamed tool arguments. Masking must have ended.
   */
  createRestoreStream(target?: RestoreTarget): RestoreStream;
};

/** A restorer of the table of a masker. It may be made before masking ends. */
export function createRestorer(table: PlaceholderTable): Restorer {
  let built: { reader: NameReader; size: number } | undefined;

  function openStream(target?: RestoreTarget): RestoreStream {
    if (built?.size !== table.size) built = { reader: createNameReader(table), size: table.size };
    return createRestoreStream(createMatcher(built.reader, target));
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
    return false; // Then it was masked as plain text.
  }
}
