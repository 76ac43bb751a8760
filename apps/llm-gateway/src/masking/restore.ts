import { ServiceError } from '@witan/contracts';
import { matchTemplate, parseObject } from '@witan/dialects';
import type {
  AnswerLeaf,
  AnswerPiece,
  Dialect,
  JsonObject,
  Slot,
  TextTemplate,
} from '@witan/dialects';
import { editJsonStrings } from '@witan/privacy';
import type { Restorer, RestoreStream, StringLeaf } from '@witan/privacy';
import type { SseFrame } from '@witan/proof';

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
      if (!value || frame.data === undefined)
        return [...(kind === 'done' ? close(() => true) : []), read];
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

export type RestoreContext = {
  restorer: Restorer;
  wantsJson: boolean;
  /** Called with the length of every restored value; throws when the limit is exceeded. */
  onRestore: (length: number) => void;
};

/** Limit of all values restored into one answer, in UTF-16 units. */
const RESTORED_MAX = 32 * 1024 * 1024;

/**
 * Creates a context that limits the length of all restored values, because a model can repeat a
 * short placeholder of a long value very often.
 */
export const createRestoreContext = (restorer: Restorer, wantsJson: boolean): RestoreContext => {
  let remaining = RESTORED_MAX;
  return {
    restorer,
    wantsJson,
    onRestore: (length) => {
      remaining -= length;
      if (remaining >= 0) return;
      const message = `The values that were masked make the answer larger than ${RESTORED_MAX}.`;
      throw new ServiceError('PROVIDER_INVALID_ANSWER', message);
    },
  };
};

/**
 * Opens a stream that restores one text. `first` is the first piece of the text; for the form
 * `text` it decides whether restored values are escaped for JSON.
 */
export const openRestoreStream = (
  { restorer, wantsJson, onRestore }: RestoreContext,
  form: AnswerLeaf['form'],
  first: string,
): RestoreStream => {
  const isJson = JSON_BEGINS.test(first) || (wantsJson && LIST_BEGINS.test(first));
  return restorer.createRestoreStream({ insideJson: form !== 'text' || isJson, onRestore });
};

export const restoreText = (
  restoreContext: RestoreContext,
  form: AnswerLeaf['form'],
  text: string,
): string => {
  const stream = openRestoreStream(restoreContext, form, text);
  return stream.push(text) + stream.end();
};

/**
 * Matches the start of a text that is treated as JSON, in which restored values must be escaped.
 */
const JSON_BEGINS = /^\s*(?:```json\s*)?(?:\{|\[\s*["{])/;
const LIST_BEGINS = /^\s*\[\s*(?:[^\s[]|$)/;
const UNDECIDED = /^\s*(?:\[\s*|`{1,3}|```j|```js|```jso|```json\s*(?:\[\s*)?)$/;

/**
 * Returns the beginning of a text without white space if more of the text decides whether it is
 * treated as JSON; undefined if that is decided: each piece of a text and the whole text, which
 * later events repeat, must be treated alike. `head` is what was returned for the pieces before; no
 * decision depends on its white space, so its length is limited.
 */
export const findUndecided = (head: string, piece: string): string | undefined =>
  UNDECIDED.test(head + piece) ? (head + piece).replaceAll(/\s+/g, '') : undefined;

export const restoreAnswer = (
  text: string,
  parsed: JsonObject,
  { dialect, ...restoreContext }: RestoreContext & { dialect: Pick<Dialect, 'findAnswerLeaf'> },
): string =>
  editJsonStrings(text, (string) => {
    const leaf = dialect.findAnswerLeaf(string.path, parsed);
    if (!leaf) return undefined;
    const { isKey, json, value } = string;
    // A masked number became a quoted placeholder; restoring it removes the quotes.
    if (leaf.form === 'value' && !isKey) return restoreText(restoreContext, leaf.form, json);
    const restored = restoreText(restoreContext, leaf.form === 'value' ? 'text' : leaf.form, value);
    return restored === value ? undefined : JSON.stringify(restored);
  });

export type PieceRestorer = {
  take: (pieces: readonly AnswerPiece[]) => AnswerPiece[];
  end: () => AnswerPiece[];
};

type TextPiece = Exclude<AnswerPiece, { case: 'toolCall' }>;

const SIGNED_KINDS: ReadonlySet<AnswerPiece['case']> = new Set([
  'reasoningSignature',
  'redactedReasoning',
]);

/**
 * Creates a restorer of pieces. With `preservesReasoning` it leaves the reasoning unchanged, which
 * may be signed.
 */
export const createPieceRestorer = (
  restoreContext: RestoreContext,
  { preservesReasoning }: { preservesReasoning: boolean },
): PieceRestorer => {
  let open: { piece: TextPiece; stream: RestoreStream } | undefined;

  const end = (): AnswerPiece[] => {
    const rest = open?.stream.end() ?? '';
    const { piece } = open ?? {};
    open = undefined;
    return piece && rest !== '' ? [{ ...piece, value: rest }] : [];
  };
  const takeOne = (piece: AnswerPiece): AnswerPiece[] => {
    const isUnchanged =
      SIGNED_KINDS.has(piece.case) || (preservesReasoning && piece.case === 'reasoning');
    if (piece.case === 'toolCall' || isUnchanged) return [...end(), piece];
    const before = open?.piece.case === piece.case ? [] : end();
    const form = piece.case === 'toolArguments' ? 'json' : 'text';
    open ??= { piece, stream: openRestoreStream(restoreContext, form, piece.value) };
    const restored = open.stream.push(piece.value);
    return restored === '' ? before : [...before, { ...piece, value: restored }];
  };
  return { take: (pieces) => pieces.flatMap(takeOne), end };
};
