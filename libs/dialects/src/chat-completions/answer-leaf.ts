import type { AnswerLeaf, JsonObject, LeafPath, Slot } from '../dialect.ts';
import { asList, asNumber, asObject } from '../json/lenient.ts';
import { valueAt } from '../json/value-at.ts';

/** Fields of a message that hold the model's words; reasoning is not sealed in this dialect. */
const WORDS = new Set<unknown>(['content', 'refusal', 'reasoning_content', 'reasoning']);

/** `choices[0].message.key...` */
export const findAnswerLeaf = (path: LeafPath): AnswerLeaf | undefined => {
  if (path[0] === 'error') return path[1] === 'message' ? { form: 'text' } : undefined;
  if (path[0] !== 'choices' || path[2] !== 'message') return undefined;
  const form = findForm(path);
  return form && { form };
};

/** `choices[0].delta.key...` */
export const findFrameLeaf = (path: LeafPath, chunk: JsonObject): AnswerLeaf | undefined => {
  if (path[0] === 'error') return path[1] === 'message' ? { form: 'text' } : undefined;
  if (path[0] !== 'choices' || path[2] !== 'delta') return undefined;
  const form = findForm(path);
  if (!form) return undefined;
  const index = indexOf(valueAt(chunk, path, 2), Number(path[1]));
  const field = String(path[3]);
  if (field === 'tool_calls') {
    const call = indexOf(valueAt(chunk, path, 5), Number(path[4]));
    return { form, slot: { index, field: String(path[5]), call } };
  }
  // Words in a list of parts are whole by themselves.
  return WORDS.has(field) && path.length > 4 ? { form } : { form, slot: { index, field } };
};

/** The form of `choices[0].message.key...`, where the model wrote it. */
const findForm = (path: LeafPath): AnswerLeaf['form'] | undefined => {
  const key = path[3];
  if (WORDS.has(key)) return path.at(-1) === 'type' ? undefined : 'text';
  switch (path.slice(key === 'tool_calls' ? 5 : 3).join('.')) {
    case 'function.arguments':
    case 'function_call.arguments':
      return 'json';
    case 'custom.input':
    case 'audio.transcript':
      return 'text';
    default:
      return undefined;
  }
};

/** A choice ends with its finish reason, and everything with the stream. */
export const endsSlot = (chunk: JsonObject, { index }: Slot): boolean =>
  asList(chunk.choices).some((item, position) => {
    const reason = asObject(item)?.finish_reason;
    return reason !== undefined && reason !== null && indexOf(item, position) === index;
  });

/** A chunk like the one that is given. */
export const encodeSlot = (chunk: JsonObject | undefined, slot: Slot, words: string): string => {
  const { id, object, created, model } = chunk ?? {};
  const choices = [{ index: slot.index, delta: toDelta(slot, words), finish_reason: null }];
  return `data: ${JSON.stringify({ id, object, created, model, choices })}\n\n`;
};

const toDelta = ({ field, call }: Slot, words: string): JsonObject => {
  if (call === undefined)
    return INNER[field] ? { [field]: { [INNER[field]]: words } } : { [field]: words };
  return { tool_calls: [{ index: call, [field]: { [INNER[field] ?? 'arguments']: words } }] };
};

/** Where the words stand in fields that hold an object. */
const INNER: Readonly<Record<string, string>> = {
  function: 'arguments',
  custom: 'input',
  function_call: 'arguments',
  audio: 'transcript',
};

/** The index that a choice or call says; its place when it says none. */
const indexOf = (item: unknown, position: number): number =>
  asNumber(asObject(item)?.index) ?? position;
