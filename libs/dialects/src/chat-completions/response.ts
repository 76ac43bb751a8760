import type { AnswerLeaf, Frame, LeafPath, Slot } from '../dialect.ts';
import type { Hole } from '../json/json-text.ts';
import { asList, asNumber, asObject, parseObject, valueAt } from '../json/json-value.ts';
import type { JsonObject, ParseObject } from '../json/json-value.ts';
import { toRequestLeaf } from './request.ts';

/**
 * Returns the kind of a stream's frame and never throws. Data that is no JSON object counts as
 * content, so that it is forwarded to the client.
 */
export const readFrame = (data: string | undefined, parse: ParseObject = parseObject): Frame => {
  if (data === undefined) return { kind: 'lifecycle' };
  if (data.trim() === '[DONE]') return { kind: 'done' };
  const value = parse(data);
  return value ? { kind: kindOf(value), value } : { kind: 'content' };
};

const kindOf = (chunk: JsonObject): Frame['kind'] => {
  if (chunk.error !== undefined && chunk.error !== null) return 'error';
  const choices = asList(chunk.choices);
  if (choices.length === 0) return chunk.usage ? 'usage' : 'lifecycle';
  return choices.some(hasContent) ? 'content' : 'lifecycle';
};

const hasContent = (item: unknown): boolean => {
  const choice = asObject(item);
  if (!choice) return false;
  if (choice.finish_reason !== undefined && choice.finish_reason !== null) return true;
  const delta = asObject(choice.delta);
  if (!delta) return false;
  for (const key in delta) if (key !== 'role' && !isEmpty(delta[key])) return true;
  return false;
};

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

export const findTextHole = (chunk: JsonObject): Hole | undefined => {
  const choices = asList(chunk.choices);
  const delta = choices.length === 1 ? asObject(asObject(choices[0])?.delta) : undefined;
  return typeof delta?.content === 'string' ? { object: delta, key: 'content' } : undefined;
};

/**
 * Message fields that contain or quote text of the model. `reasoning_details` is not included,
 * because its signature may follow the text in a later frame.
 */
const TEXT_FIELDS = new Set<unknown>([
  ...['content', 'refusal', 'reasoning_content', 'reasoning', 'annotations'],
]);

type NestedText = { key: string; form: AnswerLeaf['form'] };

const NESTED_TEXT: ReadonlyMap<unknown, NestedText> = new Map([
  ['function', { key: 'arguments', form: 'json' }],
  ['custom', { key: 'input', form: 'text' }],
  ['function_call', { key: 'arguments', form: 'json' }],
  ['audio', { key: 'transcript', form: 'text' }],
]);

export const findAnswerLeaf = (path: LeafPath): AnswerLeaf | undefined => {
  if (path[0] === 'error') return findErrorLeaf(path);
  if (path[0] !== 'choices' || path[2] !== 'message') return undefined;
  const form = findForm(path);
  return form && { form };
};

export const findFrameLeaf = (path: LeafPath, chunk: JsonObject): AnswerLeaf | undefined => {
  if (path[0] === 'error') return findErrorLeaf(path);
  if (path[0] !== 'choices' || path[2] !== 'delta') return undefined;
  const form = findForm(path);
  if (!form || form === 'value') return form && { form };
  const index = indexOf(valueAt(chunk, path, 2), Number(path[1]));
  const field = String(path[3]);
  if (field === 'tool_calls') {
    const call = indexOf(valueAt(chunk, path, 5), Number(path[4]));
    return { form, slot: { index, field: String(path[5]), call } };
  }
  // A text inside a list of parts has no slot, because later frames never continue it.
  return TEXT_FIELDS.has(field) && path.length > 4 ? { form } : { form, slot: { index, field } };
};

/**
 * Returns the leaf of an error's message, which may quote the request. Some servers send the
 * message as a bare string.
 */
const findErrorLeaf = (path: LeafPath): AnswerLeaf | undefined =>
  path.length === 1 || path[1] === 'message' ? { form: 'text' } : undefined;

const findForm = (path: LeafPath): AnswerLeaf['form'] | undefined => {
  if (TEXT_FIELDS.has(path[3])) {
    if (path.length === 4) return 'text';
    // Masked values are restored only in text that is masked again when the client sends the
    // message back.
    const requestPath = ['messages', 0, ...path.slice(3)];
    return toRequestLeaf(requestPath, {}) === 'text' ? 'text' : undefined;
  }
  const keyIndex = path[3] === 'tool_calls' ? 5 : 3;
  const nested = NESTED_TEXT.get(path[keyIndex]);
  if (!nested || path[keyIndex + 1] !== nested.key) return undefined;
  return path.length > keyIndex + 2 ? 'value' : nested.form;
};

export const endsSlot = (chunk: JsonObject, { index }: Slot): boolean =>
  isPresent(chunk.error) ||
  asList(chunk.choices).some(
    (item, position) =>
      isPresent(asObject(item)?.finish_reason) && indexOf(item, position) === index,
  );

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

export const encodeSlot = (chunk: JsonObject | undefined, slot: Slot, text: string): string => {
  const { id, object, created, model } = chunk ?? {};
  const choices = [{ index: slot.index, delta: toDelta(slot, text), finish_reason: null }];
  return `data: ${JSON.stringify({ id, object, created, model, choices })}\n\n`;
};

const toDelta = ({ field, call }: Slot, text: string): JsonObject => {
  const nested = NESTED_TEXT.get(field);
  const delta = { [field]: nested ? { [nested.key]: text } : text };
  return call === undefined ? delta : { tool_calls: [{ index: call, ...delta }] };
};

const indexOf = (item: unknown, position: number): number =>
  asNumber(asObject(item)?.index) ?? position;
