import { matchTemplate, parseObject } from '@witan/dialects';
import type { AnswerLeaf, Dialect, JsonObject, Slot, TextTemplate } from '@witan/dialects';
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
    { json, value, isKey }: Pick<StringLeaf, 'json' | 'value' | 'isKey'>,
    { form, slot }: AnswerLeaf,
    isEnding: (slot: Slot) => boolean,
  ): string => {
    if (form === 'value' && !isKey) return restoreText(restoreContext, form, json);
    const encode = (restored: string): string =>
      restored === value ? json : JSON.stringify(restored);
    if (!slot) return encode(restoreText(restoreContext, isKey ? 'text' : form, value));
    const key = keyOf(slot);
    const openSlot = openSlots.get(key) ?? toOpenSlot(slot);
    const text = openSlot.undecided + value;
    if (!openSlot.stream && form === 'text' && !isEnding(slot)) {
      const head = findUndecided(openSlot.head, value);
      if (head !== undefined) {
        openSlots.set(key, { ...openSlot, undecided: text, head });
        return encode('');
      }
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
  const restoreData = createDataRestorer(dialect);
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
      const restored = restoreData(frame.data, value, (leaf, found) => {
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

type RestoreLeaf = (
  leaf: Pick<StringLeaf, 'json' | 'value' | 'isKey'>,
  found: AnswerLeaf,
) => string;

/**
 * Creates a function that restores the leaves of a frame's data. Most frames of a stream differ in
 * one text only, so that this text is replaced without reading the rest of the frame.
 */
const createDataRestorer = ({ findFrameLeaf }: Pick<FrameDialect, 'findFrameLeaf'>) => {
  let template: (TextTemplate & { leaf: AnswerLeaf }) | undefined;
  return (data: string, frame: JsonObject, restoreLeaf: RestoreLeaf): string => {
    const text = template && matchTemplate(template, data);
    if (template && text !== undefined) {
      const { prefix, suffix, leaf } = template;
      const json = `"${text}"`;
      const restored = restoreLeaf({ json, value: text, isKey: false }, leaf);
      return restored === json ? data : prefix.slice(0, -1) + restored + suffix.slice(1);
    }
    let count = 0;
    const restored = editJsonStrings(data, (string) => {
      const leaf = findFrameLeaf(string.path, frame);
      // Keys are model output only inside a JSON value; other keys belong to the dialect.
      if (!leaf || (string.isKey && leaf.form !== 'value')) return undefined;
      const { start, json } = string;
      count += 1;
      const suffix = data.slice(start - 1 + json.length - 1);
      template = { prefix: data.slice(0, start), suffix, leaf };
      return restoreLeaf(string, leaf);
    });
    if (count !== 1 || template?.leaf.form === 'value') template = undefined;
    return restored;
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
