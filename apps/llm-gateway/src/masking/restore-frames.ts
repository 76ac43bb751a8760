import { parseObject } from '@witan/dialects';
import type { AnswerLeaf, Dialect, JsonObject, Slot } from '@witan/dialects';
import { editJsonStrings } from '@witan/privacy';
import type { RestoreStream, StringLeaf } from '@witan/privacy';
import type { SseFrame } from '@witan/proof';
import { findUndecided, openRestoreStream, restoreText } from './restore-text.ts';
import type { RestoreContext } from './restore-text.ts';

export type ReadFrame = { frame: Pick<SseFrame, 'data' | 'bytes'>; value: JsonObject | undefined };

/** Restores masked values in the frames of a stream, even if a placeholder is split over frames. */
type FrameRestorer = {
  /** Returns the frame for the client, preceded by frames with text that was buffered before it. */
  take: (read: ReadFrame, kind: string) => ReadFrame[];
};

type FrameDialect = Pick<Dialect, 'findFrameLeaf' | 'endsSlot' | 'encodeSlot' | 'renumberFrame'>;

/**
 * A text that is not complete; `undecided` is its beginning while it may be JSON or not, and `head`
 * the same without white space.
 */
type OpenSlot = { slot: Slot; stream: RestoreStream | undefined; undecided: string; head: string };

const toOpenSlot = (slot: Slot): OpenSlot => ({ slot, stream: undefined, undecided: '', head: '' });

/** Creates a restorer that passes a frame byte for byte if its text does not change. */
export const createFrameRestorer = ({
  dialect,
  ...restoreContext
}: RestoreContext & { dialect: FrameDialect }): FrameRestorer => {
  const openSlots = new Map<string, OpenSlot>();
  /** The last received chunk, whose id and model generated chunks may repeat. */
  let last: JsonObject | undefined;
  const numbering = createNumbering(dialect);
  const restoreLeaf = (
    { json, value, isKey }: StringLeaf,
    { form, slot }: AnswerLeaf,
    isEnding: (slot: Slot) => boolean,
  ): string => {
    if (form === 'value' && !isKey) return restoreText(restoreContext, form, json);
    const encode = (text: string): string => (text === value ? json : JSON.stringify(text));
    if (!slot) return encode(restoreText(restoreContext, isKey ? 'text' : form, value));
    const key = keyOf(slot);
    const openSlot = openSlots.get(key) ?? toOpenSlot(slot);
    const text = openSlot.undecided + value;
    const mayWait = !openSlot.stream && form === 'text' && !isEnding(slot);
    const head = mayWait ? findUndecided(openSlot.head, value) : undefined;
    if (head !== undefined) {
      openSlots.set(key, { ...openSlot, undecided: text, head });
      return encode('');
    }
    openSlot.undecided = '';
    openSlot.stream ??= openRestoreStream(restoreContext, form, text);
    const restored = openSlot.stream.push(text);
    if (isEnding(slot)) {
      openSlots.delete(key);
      return encode(restored + openSlot.stream.end());
    }
    // Not stored for white space alone, because the first piece decides whether the text is JSON.
    if (value.trim() !== '') openSlots.set(key, openSlot);
    return encode(restored);
  };
  const close = (isEnding: (slot: Slot) => boolean): ReadFrame[] => {
    const generated: ReadFrame[] = [];
    for (const [key, { slot, stream, undecided }] of openSlots) {
      if (!isEnding(slot)) continue;
      openSlots.delete(key);
      const rest = stream?.end() ?? undecided;
      if (rest !== '') generated.push(numbering.insert(dialect.encodeSlot(last, slot, rest)));
    }
    return generated;
  };
  return {
    take: (read, kind) => {
      const { frame, value } = read;
      if (!value || frame.data === undefined) {
        return kind === 'done' ? [...close(() => true), read] : [read];
      }
      const isEnding = (slot: Slot): boolean => dialect.endsSlot(value, slot);
      const generated: ReadFrame[] = [];
      const restored = editJsonStrings(frame.data, (leaf) => {
        const found = dialect.findFrameLeaf(leaf.path, value);
        // Keys are model output only inside a JSON value; other keys belong to the dialect.
        if (!found || (leaf.isKey && found.form !== 'value')) return undefined;
        const next = leaf.value === '' ? undefined : found.slot;
        // Text that is buffered for another field of the choice must be sent before this field.
        if (next) generated.push(...close((slot) => precedes(slot, next)));
        return restoreLeaf(leaf, found, isEnding);
      });
      generated.push(...close(isEnding));
      last = { ...value };
      const data = numbering.renumber(restored, value);
      return [...generated, data === frame.data ? read : rewrite(read, data)];
    },
  };
};

/** Creates the numbering of a stream into which frames are inserted. */
const createNumbering = ({ renumberFrame }: FrameDialect) => {
  let added = 0;
  const renumber = (data: string, value: JsonObject): string =>
    added > 0 && renumberFrame ? renumberFrame(data, value, added) : data;
  return {
    /** Returns the data of a frame with its number increased by the frames inserted before it. */
    renumber,
    /** Returns the inserted frame, whose text has the number of the frame that follows. */
    insert: (text: string): ReadFrame => {
      const inserted = toFrame(text);
      const data = renumber(inserted.frame.data!, inserted.value!);
      added += 1;
      return data === inserted.frame.data ? inserted : rewrite(inserted, data);
    },
  };
};

/**
 * Returns whether buffered text must be sent before another field: texts of one choice are not
 * interleaved; its tool calls may be.
 */
const precedes = (slot: Slot, next: Slot): boolean =>
  slot.index === next.index && slot.field !== next.field && slot.call === undefined;

const keyOf = ({ index, field, call }: Slot): string => `${index} ${field} ${call ?? ''}`;

const toFrame = (text: string): ReadFrame => {
  const data = text.slice(text.indexOf('data: ') + 'data: '.length).trimEnd();
  return { frame: { data, bytes: Buffer.from(text) }, value: parseObject(data) };
};

const rewrite = ({ frame }: ReadFrame, data: string): ReadFrame => ({
  frame: rewriteFrame(frame, data),
  value: parseObject(data),
});

const LINE = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g;

const rewriteFrame = (
  { bytes }: Pick<SseFrame, 'bytes'>,
  data: string,
): Pick<SseFrame, 'data' | 'bytes'> => {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  let isWritten = false;
  const lines = (source.match(LINE) ?? []).map((line) => {
    if (!/^\ufeff?data\b/.test(line)) return line;
    if (isWritten) return '';
    isWritten = true;
    return data
      .split('\n')
      .map((part) => `data: ${part}\n`)
      .join('');
  });
  return { data, bytes: Buffer.from(lines.join('')) };
};
