import type { AnswerLeaf, JsonObject, LeafPath, Slot } from '../dialect.ts';
import { asList, asNumber, asObject } from '../json/lenient.ts';
import { valueAt } from '../json/value-at.ts';
import { toRequestLeaf } from './request-leaf.ts';

/**
 * Fields of a message with model text or quotes of it. Reasoning is not signed in this dialect, but
 * `reasoning_details` may be, by a signature that follows its text in a stream.
 */
const TEXT_FIELDS = new Set<unknown>([
  ...['content', 'refusal', 'reasoning_content', 'reasoning', 'annotations'],
]);

type Inner = { key: string; form: AnswerLeaf['form'] };

/** Fields that hold an object, and the member of it that holds the text. */
const INNER: ReadonlyMap<unknown, Inner> = new Map([
  ['function', { key: 'arguments', form: 'json' }],
  ['custom', { key: 'input', form: 'text' }],
  ['function_call', { key: 'arguments', form: 'json' }],
  ['audio', { key: 'transcript', form: 'text' }],
]);

/** `choices[0].message.key...` */
export const findAnswerLeaf = (path: LeafPath): AnswerLeaf | undefined => {
  if (path[0] === 'error') return findErrorLeaf(path);
  if (path[0] !== 'choices' || path[2] !== 'message') return undefined;
  const form = findForm(path);
  return form && { form };
};

/** `choices[0].delta.key...` */
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
  // Text in a list of parts is complete by itself.
  return TEXT_FIELDS.has(field) && path.length > 4 ? { form } : { form, slot: { index, field } };
};

/** An error may quote the request; some servers send only its message. */
const findErrorLeaf = (path: LeafPath): AnswerLeaf | undefined =>
  path.length === 1 || path[1] === 'message' ? { form: 'text' } : undefined;

/** Returns the form of `choices[0].message.key...` if the model wrote it. */
const findForm = (path: LeafPath): AnswerLeaf['form'] | undefined => {
  if (TEXT_FIELDS.has(path[3])) {
    // Restored text must be masked again when the message is sent back.
    const sentBack = ['messages', 0, ...path.slice(3)];
    return toRequestLeaf(sentBack, {}) === 'text' ? 'text' : undefined;
  }
  const at = path[3] === 'tool_calls' ? 5 : 3;
  const inner = INNER.get(path[at]);
  if (!inner || path[at + 1] !== inner.key) return undefined;
  // Some servers send arguments as an object instead of its JSON text.
  return path.length > at + 2 ? 'value' : inner.form;
};

/** A choice ends with its finish reason; all choices end with the stream or an error. */
export const endsSlot = (chunk: JsonObject, { index }: Slot): boolean =>
  isPresent(chunk.error) ||
  asList(chunk.choices).some(
    (item, position) =>
      isPresent(asObject(item)?.finish_reason) && indexOf(item, position) === index,
  );

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Encodes a chunk in the shape of the given one. */
export const encodeSlot = (chunk: JsonObject | undefined, slot: Slot, text: string): string => {
  const { id, object, created, model } = chunk ?? {};
  const choices = [{ index: slot.index, delta: toDelta(slot, text), finish_reason: null }];
  return `data: ${JSON.stringify({ id, object, created, model, choices })}\n\n`;
};

const toDelta = ({ field, call }: Slot, text: string): JsonObject => {
  const inner = INNER.get(field);
  const delta = { [field]: inner ? { [inner.key]: text } : text };
  return call === undefined ? delta : { tool_calls: [{ index: call, ...delta }] };
};

/** Returns the index of a choice or call; its position if it has none. */
const indexOf = (item: unknown, position: number): number =>
  asNumber(asObject(item)?.index) ?? position;
