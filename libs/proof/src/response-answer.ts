import type { AnswerChoice, AnswerGatherer, ReportedUsage } from './answer.ts';
import { toReportedUsage } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import { readSummary } from './compaction.ts';
import { asCount, asList, asMembers, asString, utf8Length } from './lenient.ts';
import { ENTRY_BYTES } from './tool-calls.ts';

type Members = Record<string, unknown>;

/** Texts of an item by the index of their part; arguments of a call have the index 0. */
type Item = {
  call: { id: string; name: string } | undefined;
  text: Map<number, string>;
  refusal: Map<number, string>;
  arguments: Map<number, string>;
};
type TextField = 'text' | 'refusal' | 'arguments';

type State = {
  hasBegun: boolean;
  readonly items: Map<number, Item>;
  finishReason: FinishReason | undefined;
  usage: ReportedUsage | undefined;
  bytes: number;
};

const FIELD_OF = new Map<string, TextField>([
  ['response.output_text', 'text'],
  ['response.refusal', 'refusal'],
  ['response.function_call_arguments', 'arguments'],
]);

/**
 * Creates an empty {@link AnswerGatherer} of the responses dialect: `body` reads a response,
 * `chunk` an event of its stream. A response is a single choice with index 0: the texts of its
 * messages in order, then their refusals; its `function_call` items are the tool calls, with
 * `call_id` as id. The summary in a `compaction` item of the gateway is a text. Reasoning, what the
 * user said and items of other types are ignored.
 *
 * In a stream the deltas are the text. A text that no delta carried is taken from the first event
 * that has it: the end of the text, of its part, of its item, or of the response.
 */
export function createResponseAnswer(): AnswerGatherer {
  const state: State = {
    hasBegun: false,
    items: new Map(),
    finishReason: undefined,
    usage: undefined,
    bytes: 0,
  };
  return {
    body: (parsed) => {
      const response = asMembers(parsed);
      if (response?.['object'] === 'response' || Array.isArray(response?.['output'])) {
        takeResponse(state, response);
      } else if (isError(response)) state.finishReason = 'error';
    },
    chunk: (parsed) => takeEvent(state, asMembers(parsed)),
    choices: () => (state.hasBegun ? [toAnswerChoice(state)] : []),
    get finishReason() {
      return state.finishReason;
    },
    get usage() {
      return state.usage;
    },
    get contentBytes() {
      return state.bytes;
    },
  };
}

function takeEvent(state: State, event: Members | undefined): void {
  if (event === undefined) return;
  const type = asString(event['type']);
  const response = asMembers(event['response']);
  if (response !== undefined && type.startsWith('response.')) return takeResponse(state, response);
  const index = asCount(event['output_index']) ?? 0;
  switch (type) {
    case 'response.output_item.added':
    case 'response.output_item.done':
      return takeItem(state, index, asMembers(event['item']));
    case 'response.content_part.added':
    case 'response.content_part.done':
      begin(state);
      return takePart(state, itemAt(state, index), {
        part: asMembers(event['part']),
        position: asCount(event['content_index']) ?? 0,
      });
    default:
      if (isError(event)) state.finishReason = 'error';
      else takeText(state, index, event);
  }
}

function takeResponse(state: State, response: Members | undefined): void {
  begin(state);
  for (const [position, item] of asList(response?.['output']).entries()) {
    takeItem(state, position, asMembers(item));
  }
  state.usage = toUsage(asMembers(response?.['usage'])) ?? state.usage;
  const reason = toFinishReason(state, response);
  if (state.finishReason !== 'error') state.finishReason = reason ?? state.finishReason;
}

function toFinishReason(state: State, response: Members | undefined): FinishReason | undefined {
  switch (response?.['status']) {
    case 'completed':
      return hasCalls(state) ? 'tool_calls' : 'stop';
    case 'incomplete':
      return toIncompleteReason(asMembers(response['incomplete_details'])?.['reason']);
    case 'failed':
    case 'cancelled':
      return 'error';
    default:
      return undefined;
  }
}

/** An unknown reason counts as `length`: the answer was cut off. */
function toIncompleteReason(reason: unknown): FinishReason {
  return reason === 'content_filter' ? 'content_filter' : 'length';
}

function begin(state: State): void {
  if (state.hasBegun) return;
  state.hasBegun = true;
  state.bytes += ENTRY_BYTES;
}

function itemAt(state: State, index: number): Item {
  let item = state.items.get(index);
  if (item === undefined) {
    item = { call: undefined, text: new Map(), refusal: new Map(), arguments: new Map() };
    state.items.set(index, item);
    state.bytes += ENTRY_BYTES;
  }
  return item;
}

function takeItem(state: State, index: number, source: Members | undefined): void {
  if (source === undefined) return;
  begin(state);
  const item = itemAt(state, index);
  if (source['type'] === 'function_call') {
    if (item.call === undefined) {
      item.call = { id: asString(source['call_id']), name: asString(source['name']) };
      state.bytes += utf8Length(item.call.id) + utf8Length(item.call.name);
    }
    setText(state, item.arguments, 0, asString(source['arguments']));
  } else if (source['type'] === 'compaction') {
    setText(state, item.text, 0, readSummary(asString(source['encrypted_content'])) ?? '');
  } else if (source['type'] === 'message' && source['role'] !== 'user') {
    for (const [position, part] of asList(source['content']).entries()) {
      takePart(state, item, { part: asMembers(part), position });
    }
  }
}

function takePart(
  state: State,
  item: Item,
  { part, position }: { part: Members | undefined; position: number },
): void {
  if (part?.['type'] === 'output_text') {
    setText(state, item.text, position, asString(part['text']));
  } else if (part?.['type'] === 'refusal') {
    setText(state, item.refusal, position, asString(part['refusal']));
  }
}

function takeText(state: State, index: number, event: Members): void {
  const [, stem = '', ending] = /^(.+)\.(delta|done)$/.exec(asString(event['type'])) ?? [];
  const field = FIELD_OF.get(stem);
  if (field === undefined) return;
  begin(state);
  const texts = itemAt(state, index)[field];
  const position = asCount(event['content_index']) ?? 0;
  if (ending === 'done') setText(state, texts, position, asString(event[field]));
  else addText(state, texts, position, asString(event['delta']));
}

function addText(state: State, texts: Map<number, string>, position: number, text: string): void {
  if (text === '') return;
  texts.set(position, (texts.get(position) ?? '') + text);
  state.bytes += utf8Length(text);
}

/** Sets a text of which nothing was received yet. */
function setText(state: State, texts: Map<number, string>, position: number, text: string): void {
  if (!texts.has(position)) addText(state, texts, position, text);
}

function itemsInOrder({ items }: State): Item[] {
  return [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item);
}

function hasCalls({ items }: State): boolean {
  return [...items.values()].some(({ call }) => call !== undefined);
}

function toAnswerChoice(state: State): AnswerChoice {
  const items = itemsInOrder(state);
  const textsOf = (field: 'text' | 'refusal'): string =>
    items.map((item) => joined(item[field])).join('');
  const content = textsOf('text') + textsOf('refusal');
  const toolCalls = items.flatMap((item) =>
    item.call === undefined ? [] : [{ ...item.call, arguments: joined(item.arguments) }],
  );
  return { index: 0, content: content === '' ? null : content, toolCalls };
}

function joined(texts: Map<number, string>): string {
  if (texts.size <= 1) return texts.values().next().value ?? '';
  return [...texts]
    .toSorted(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('');
}

function toUsage(usage: Members | undefined): ReportedUsage | undefined {
  if (usage === undefined) return undefined;
  const inputDetails = asMembers(usage['input_tokens_details']);
  const outputDetails = asMembers(usage['output_tokens_details']);
  return toReportedUsage({
    promptTokens: asCount(usage['input_tokens']),
    completionTokens: asCount(usage['output_tokens']),
    totalTokens: asCount(usage['total_tokens']),
    cachedTokens: asCount(inputDetails?.['cached_tokens']),
    cacheWriteTokens: asCount(inputDetails?.['cache_write_tokens']),
    reasoningTokens: asCount(outputDetails?.['reasoning_tokens']),
  });
}

function isError(members: Members | undefined): boolean {
  const error = members?.['error'];
  return members?.['type'] === 'error' || (error !== undefined && error !== null);
}
