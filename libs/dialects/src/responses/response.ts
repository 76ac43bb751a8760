import type { AnswerLeaf, Frame, LeafPath, Slot } from '../dialect.ts';
import { editMembers } from '../json/json-text.ts';
import { asNumber, asObject, asText, parseObject } from '../json/json-value.ts';
import type { JsonObject, ParseObject } from '../json/json-value.ts';
import { encodeFrame } from './encode-stream.ts';
import { toItemLeaf, toRequestLeaf } from './request.ts';

/**
 * Returns the kind of a stream's frame and never throws. The terminal event is `response.completed`
 * or `response.incomplete`; `[DONE]` without it is `cut`, because the answer is then not complete.
 * Events of an unknown type are `lifecycle`, and unknown deltas are `content`.
 */
export const readFrame = (data: string | undefined, parse: ParseObject = parseObject): Frame => {
  if (data === undefined) return { kind: 'lifecycle' };
  if (data.trim() === '[DONE]') return { kind: 'cut' };
  const value = parse(data);
  return value ? { kind: kindOf(value), value } : { kind: 'content' };
};

const kindOf = (event: JsonObject): Frame['kind'] => {
  const type = asText(event.type);
  switch (type) {
    case 'response.completed':
    case 'response.incomplete':
      return 'done';
    case 'response.failed':
    case 'response.cancelled':
    case 'error':
      return 'error';
    case 'response.output_item.added':
    case 'response.output_item.done':
      return isSilentItem(asObject(event.item)) ? 'lifecycle' : 'content';
    case '':
      return event.error ? 'error' : 'lifecycle';
    default:
      return hasText(event) ? 'content' : 'lifecycle';
  }
};

/** Returns whether an item has no part of the answer yet: a message or reasoning without text. */
const isSilentItem = (item: JsonObject | undefined): boolean => {
  if (!item) return true;
  if (item.type !== 'message' && item.type !== 'reasoning') return false;
  const { content, summary, encrypted_content: encrypted } = item;
  return [content, summary, encrypted].every(
    (value) => !value || (Array.isArray(value) && value.length === 0),
  );
};

const hasText = ({ delta, text, refusal, arguments: args, input }: JsonObject): boolean =>
  [delta, text, refusal, args, input].some((value) => typeof value === 'string' && value !== '');

/**
 * Returns no hole: the frames of this dialect differ in their number, too, so that none can be
 * parsed as a copy of an earlier one.
 */
export const findTextHole = (): undefined => undefined;

const TEXT: AnswerLeaf = { form: 'text' };

/**
 * Returns the form of a leaf of a response. Masked values are restored where a request masks them:
 * in the output, and in the members of the request that the response repeats.
 */
export const findAnswerLeaf = (path: LeafPath, body: JsonObject): AnswerLeaf | undefined => {
  switch (path[0]) {
    case 'output':
      return findItemLeaf(path, 1, body);
    case 'error':
      return path.length === 1 || path[1] === 'message' ? TEXT : undefined;
    case 'instructions':
    case 'metadata':
    case 'tools':
    case 'text':
    case 'prompt':
    case 'prompt_cache_key':
    case 'safety_identifier':
    case 'user':
      return toAnswerLeaf(toRequestLeaf(path, body));
    default:
      return undefined;
  }
};

const toAnswerLeaf = (leaf: string): AnswerLeaf | undefined => {
  if (leaf === 'data') return { form: 'value' };
  return leaf === 'text' || leaf === 'filename' ? TEXT : undefined;
};

const findItemLeaf = (path: LeafPath, from: number, root: JsonObject): AnswerLeaf | undefined => {
  const leaf = toAnswerLeaf(toItemLeaf(path, from, root));
  return leaf === TEXT && path.at(-1) === 'arguments' ? { form: 'json' } : leaf;
};

/** Forms of the deltas, by the type of the event without its ending. */
const DELTA_FORMS: ReadonlyMap<string, 'text' | 'json'> = new Map([
  ['response.output_text', 'text'],
  ['response.refusal', 'text'],
  ['response.reasoning', 'text'],
  ['response.reasoning_text', 'text'],
  ['response.reasoning_summary_text', 'text'],
  ['response.audio.transcript', 'text'],
  ['response.custom_tool_call_input', 'text'],
  ['response.function_call_arguments', 'json'],
  ['response.mcp_call_arguments', 'json'],
  ['response.code_interpreter_call_code', 'text'],
]);

const DONE_FORMS: ReadonlyMap<unknown, AnswerLeaf['form']> = new Map([
  ['text', 'text'],
  ['refusal', 'text'],
  ['input', 'text'],
  ['code', 'text'],
  ['arguments', 'json'],
]);

export const findFrameLeaf = (path: LeafPath, event: JsonObject): AnswerLeaf | undefined => {
  const [member] = path;
  switch (member) {
    case 'delta':
      return path.length === 1 ? findDeltaLeaf(event) : undefined;
    case 'response':
      return findAnswerLeaf(path.slice(1), asObject(event.response) ?? {});
    case 'item':
    case 'part':
    case 'annotation':
      return findItemLeaf(path, 1, event);
    case 'error':
      return findAnswerLeaf(path, event);
    case 'message':
      return TEXT;
    default: {
      const isText = path.length === 1 && asText(event.type).endsWith('.done');
      const form = isText ? DONE_FORMS.get(member) : undefined;
      return form && { form };
    }
  }
};

const stemOf = (type: unknown): string => asText(type).replace(/\.(?:delta|done)$/, '');

const findDeltaLeaf = (event: JsonObject): AnswerLeaf | undefined => {
  const stem = stemOf(event.type);
  const form = DELTA_FORMS.get(stem);
  if (!form) return undefined;
  const index = asNumber(event.output_index) ?? 0;
  const itemId = asText(event.item_id);
  return { form, slot: { index, field: stem, call: partIndexOf(event), itemId } };
};

/** Returns the index of a text in its item: of its content part or of its summary. */
const partIndexOf = (event: JsonObject): number =>
  asNumber(event.content_index) ?? asNumber(event.summary_index) ?? 0;

const TERMINAL = new Set<unknown>([
  ...['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'],
  ...['error', undefined],
]);

/** Returns whether an event ends the text of a slot: its own end, or that of item or answer. */
export const endsSlot = (event: JsonObject, slot: Slot): boolean => {
  const { type } = event;
  if (TERMINAL.has(type)) return true;
  if ((asNumber(event.output_index) ?? 0) !== slot.index) return false;
  if (type === 'response.output_item.done') return true;
  return type === `${slot.field}.done` && partIndexOf(event) === slot.call;
};

/** Names of the index in events, by the type of the delta without its ending; absent for none. */
const INDEX_NAMES: ReadonlyMap<string, string> = new Map([
  ['response.output_text', 'content_index'],
  ['response.refusal', 'content_index'],
  ['response.reasoning', 'content_index'],
  ['response.reasoning_text', 'content_index'],
  ['response.reasoning_summary_text', 'summary_index'],
]);

/** Encodes a delta that follows the event `last`. */
export const encodeSlot = (
  last: JsonObject | undefined,
  { index, field, call = 0, itemId }: Slot,
  text: string,
): string => {
  const indexName = INDEX_NAMES.get(field);
  return encodeFrame(`${field}.delta`, (asNumber(last?.sequence_number) ?? -1) + 1, {
    item_id: itemId,
    output_index: index,
    ...(indexName !== undefined && { [indexName]: call }),
    delta: text,
    ...(field === 'response.output_text' && { logprobs: [] }),
  });
};

export const renumberFrame = (data: string, event: JsonObject, added: number): string => {
  const number = asNumber(event.sequence_number);
  return number === undefined
    ? data
    : editMembers(data, { sequence_number: String(number + added) });
};
