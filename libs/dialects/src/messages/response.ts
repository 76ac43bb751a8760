import type { AnswerLeaf, Frame, LeafPath, Slot } from '../dialect.ts';
import type { Hole } from '../json/json-text.ts';
import { asNumber, asObject, parseObject } from '../json/json-value.ts';
import type { JsonObject, ParseObject } from '../json/json-value.ts';
import { toBlockLeaf } from './request.ts';

/**
 * Returns the kind of a stream's frame. It is never `usage`, because events with token counts
 * contain other data as well. Data that is neither an object nor `[DONE]` counts as `content`.
 */
export const readFrame = (data: string | undefined, parse: ParseObject = parseObject): Frame => {
  if (data === undefined) return { kind: 'lifecycle' };
  const value = parse(data);
  if (value) return { kind: kindOf(value), value };
  return { kind: data.trim() === '[DONE]' ? 'done' : 'content' };
};

const kindOf = (event: JsonObject): Frame['kind'] => {
  switch (event.type) {
    case 'content_block_delta':
      return hasContent(asObject(event.delta)) ? 'content' : 'lifecycle';
    case 'content_block_start':
      return hasContent(asObject(event.content_block)) ? 'content' : 'lifecycle';
    case 'message_delta':
      return 'content';
    case 'message_stop':
      return 'done';
    case 'error':
      return 'error';
    case undefined:
      return event.error ? 'error' : 'lifecycle';
    default:
      return 'lifecycle';
  }
};

const CONTENT_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['thinking', ['thinking', 'signature']],
  ['text_delta', ['text']],
  ['thinking_delta', ['thinking']],
  ['signature_delta', ['signature']],
  ['input_json_delta', ['partial_json']],
]);

const hasContent = (piece: JsonObject | undefined): boolean => {
  if (!piece) return false;
  const names = CONTENT_FIELDS.get(piece.type);
  return names === undefined || names.some((name) => Boolean(piece[name]));
};

export const findTextHole = (event: JsonObject): Hole | undefined => {
  if (event.type !== 'content_block_delta') return undefined;
  const delta = asObject(event.delta);
  const key = delta?.type === 'text_delta' ? 'text' : 'thinking';
  return typeof delta?.[key] === 'string' ? { object: delta, key } : undefined;
};

const TEXT: AnswerLeaf = { form: 'text' };

export const findAnswerLeaf = (path: LeafPath, body: JsonObject): AnswerLeaf | undefined =>
  path[0] === 'content' ? findBlockLeaf(path, 2, body) : findOtherLeaf(path);

export const findFrameLeaf = (path: LeafPath, event: JsonObject): AnswerLeaf | undefined => {
  const index = asNumber(event.index) ?? 0;
  switch (path[0]) {
    case 'content_block': {
      const leaf = findBlockLeaf(path, 1, event);
      return leaf && path[1] === 'text' ? { ...leaf, slot: { index, field: 'text' } } : leaf;
    }
    case 'message':
      return findAnswerLeaf(path.slice(1), asObject(event.message) ?? {});
    case 'delta':
      return findDeltaLeaf(path, event, index);
    default:
      return findOtherLeaf(path);
  }
};

/**
 * Returns the leaf of answer text in a delta. Thinking and signatures must not change; nor must
 * summaries (`compaction_delta`), because a later event signs them.
 */
const findDeltaLeaf = (
  path: LeafPath,
  event: JsonObject,
  index: number,
): AnswerLeaf | undefined => {
  switch (path[1]) {
    case 'text':
      return { form: 'text', slot: { index, field: 'text' } };
    case 'partial_json':
      return { form: 'json', slot: { index, field: 'partial_json' } };
    case 'citation':
      return findBlockLeaf(path, 2, event);
    default:
      return findOtherLeaf(path.slice(1));
  }
};

/**
 * Classifies a leaf of a content block, whose members begin at `path[index]`. Masked values are
 * restored where a request masks them: in text, tool inputs, results of provider tools, and quotes,
 * but not in signed thinking or signatures.
 */
const findBlockLeaf = (path: LeafPath, index: number, root: JsonObject): AnswerLeaf | undefined => {
  const leaf = toBlockLeaf(path, index, root);
  if (leaf === 'data') return { form: 'value' };
  return leaf === 'text' ? TEXT : undefined;
};

const OTHERS = new Set(['error.message', 'stop_sequence', 'stop_details.explanation']);

const findOtherLeaf = (path: LeafPath): AnswerLeaf | undefined =>
  OTHERS.has(path.join('.')) ? TEXT : undefined;

/**
 * Returns whether an event ends the text of a slot: the stop event of its block, the end of the
 * message, or an error.
 */
export const endsSlot = (event: JsonObject, { index }: Slot): boolean => {
  switch (event.type) {
    case 'content_block_stop':
      return (asNumber(event.index) ?? 0) === index;
    case 'message_delta':
    case 'message_stop':
    case 'error':
      return true;
    default:
      // Some servers omit the type of an error event.
      return event.type === undefined && Boolean(event.error);
  }
};

export const encodeSlot = (
  _event: JsonObject | undefined,
  { index, field }: Slot,
  text: string,
): string => {
  const type = field === 'text' ? 'text_delta' : 'input_json_delta';
  const data = { type: 'content_block_delta', index, delta: { type, [field]: text } };
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
};
