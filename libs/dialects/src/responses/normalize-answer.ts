import type { AnswerNormalizer } from '../dialect.ts';
import { asList, asNumber, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/** An item that a stream announced. */
type Item = {
  readonly index: number;
  /** The item as it was announced, or, if `isDone`, as a later event had all of it. */
  source: JsonObject;
  isDone: boolean;
  /** The text that deltas carried. */
  text: string;
  /** Parts of reasoning that were announced. */
  readonly parts: Set<string>;
};

type State = {
  readonly items: Map<string, Item>;
  isCreated: boolean;
  /** True once an item had no index, or that of another item. */
  hasDeviated: boolean;
  /** Number of events that were inserted. */
  inserted: number;
};

/**
 * Creates a normalizer of one answer, which returns the events of its stream in the form of
 * OpenAI's API. The deviations of servers that it knows are listed, with their sources, in
 * docs/providers.md. An event that has this form is returned unchanged, as the same object. A
 * stream of another deviation stays a contradiction.
 */
export const createAnswerNormalizer = (): AnswerNormalizer => {
  const state: State = { items: new Map(), isCreated: false, hasDeviated: false, inserted: 0 };
  return {
    chunk: (event) => {
      const type = asText(event.type);
      if (type === 'response.created') return takeStart(state, event);
      if (type === 'response.output_item.added') announce(state, event);
      const item = state.items.get(asText(event.item_id) || asText(asObject(event.item)?.id));
      if (item) takeEvent(item, event, type);
      const part = item && findMissingPart(item, event, type);
      const own = toOwnForm(state, event, item);
      if (!part) return ENDS.has(type) ? completeOutput(state, own) : own;
      const inserted = toOwnForm(state, part, item);
      state.inserted += 1;
      return [inserted, toOwnForm(state, event, item)];
    },
    body: (body) => body,
  };
};

const ENDS = new Set(['response.completed', 'response.incomplete']);

/** Drops the start that llama.cpp repeats if it did not send the first token by itself. */
const takeStart = (state: State, event: JsonObject): JsonObject | readonly JsonObject[] => {
  const isRepeated = state.isCreated && asObject(event.response)?.output === undefined;
  state.isCreated = true;
  return isRepeated ? [] : event;
};

/** Takes an item under its own index or, once the stream has deviated, under the next one. */
const announce = (state: State, event: JsonObject): void => {
  const source = asObject(event.item);
  const id = asText(source?.id);
  if (!source || id === '' || state.items.has(id)) return;
  const indexes = [...state.items.values()].map(({ index }) => index);
  const sent = asNumber(event.output_index);
  state.hasDeviated ||= sent === undefined || indexes.includes(sent);
  const index = state.hasDeviated ? Math.max(-1, ...indexes) + 1 : sent!;
  state.items.set(id, { index, source, isDone: false, text: '', parts: new Set() });
};

const takeEvent = (item: Item, event: JsonObject, type: string): void => {
  if (type === 'response.output_text.delta') item.text += asText(event.delta);
  else if (type === 'response.output_item.done') {
    Object.assign(item, { source: asObject(event.item), isDone: true });
  } else if (type.endsWith('_part.added')) item.parts.add(partKey(type, event));
};

const partKey = (type: string, event: JsonObject): string =>
  `${type} ${asNumber(event.summary_index) ?? asNumber(event.content_index) ?? 0}`;

/** The event that announces a part of reasoning, by the type of its deltas. */
const PART_OF = new Map([
  ['response.reasoning_text.delta', ['response.content_part.added', 'reasoning_text']],
  [
    'response.reasoning_summary_text.delta',
    ['response.reasoning_summary_part.added', 'summary_text'],
  ],
] as const);

/** Returns the event that announces a part of reasoning, without which clients fail. */
const findMissingPart = (item: Item, event: JsonObject, type: string): JsonObject | undefined => {
  const [added, part] = PART_OF.get(type as never) ?? [];
  if (added === undefined || item.parts.has(partKey(added, event))) return undefined;
  item.parts.add(partKey(added, event));
  const { delta: _delta, ...members } = event;
  return { ...members, type: added, part: { type: part, text: '' } };
};

/** Types of the events of a content part, which has an index. */
const OF_PART = /^response\.(?:content_part|output_text|refusal|reasoning_text)\./;

const toOwnForm = (
  { hasDeviated, inserted }: State,
  event: JsonObject,
  item: Item | undefined,
): JsonObject => {
  if (!hasDeviated && inserted === 0) return event;
  const changed: JsonObject = {};
  if (hasDeviated && item) {
    const isOfPart = OF_PART.test(asText(event.type)) && event.content_index === undefined;
    if (isOfPart) changed.content_index = 0;
    if (event.output_index !== item.index) changed.output_index = item.index;
  }
  const number = inserted > 0 ? asNumber(event.sequence_number) : undefined;
  if (number !== undefined) changed.sequence_number = number + inserted;
  return Object.keys(changed).length === 0 ? event : { ...event, ...changed };
};

/** Returns the end of a stream that deviated, with all announced items in their order. */
const completeOutput = ({ items, hasDeviated }: State, event: JsonObject): JsonObject => {
  const response = asObject(event.response);
  if (!hasDeviated || !Array.isArray(response?.output)) return event;
  const idOf = (item: unknown): string => asText(asObject(item)?.id);
  const output = asList(response.output);
  const sent = new Map(output.map((item) => [idOf(item), item]));
  const announced = [...items]
    .toSorted(([, a], [, b]) => a.index - b.index)
    .map(([id, item]) => sent.get(id) ?? toWhole(item, response));
  const others = output.filter((item) => !items.has(idOf(item)));
  return { ...event, response: { ...response, output: [...announced, ...others] } };
};

/** Returns an item that the end of its stream lacks; Ollama omits a message before calls. */
const toWhole = ({ source, isDone, text }: Item, { status }: JsonObject): JsonObject => {
  if (isDone || source.type !== 'message') return source;
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  return { ...source, status, content: text === '' ? [] : [part] };
};
