import type { AnswerChoice, AnswerGatherer, ReportedUsage } from './answer.ts';
import {
  asCount,
  asList,
  asMembers,
  asString,
  ENTRY_BYTES,
  FOREIGN_FRAME,
  isForeignFrame,
  takeCount,
  takeList,
  takeMembers,
  takeString,
  toReportedUsage,
} from './answer.ts';
import type { FinishReason } from './certificate.ts';
import {
  contradict,
  itemAt,
  takeItem,
  takePart,
  takeWord,
  textOf,
  typeOf,
} from './response-item.ts';
import type { Extent, Item, ItemState, TextKind } from './response-item.ts';
import type { Uses } from './uses.ts';

type Members = Record<string, unknown>;

type State = ItemState & {
  hasBegun: boolean;
  isCreated: boolean;
  /** True once an event announced an item, as the others must then be, too. */
  hasItemEvents: boolean;
  isEnded: boolean;
  finishReason: FinishReason | undefined;
  usage: ReportedUsage | undefined;
};

const KIND_OF = new Map<string, TextKind>([
  ['response.output_text', 'text'],
  ['response.refusal', 'refusal'],
  ['response.function_call_arguments', 'arguments'],
]);

/**
 * Creates an empty {@link AnswerGatherer} of the responses dialect: `body` reads a response,
 * `chunk` an event of its stream. A response is a single choice with index 0: the texts of its
 * messages in order, whatever their role, then their refusals; its `function_call` items are the
 * tool calls, with `call_id` as id. Of a compacted conversation only the summary in the
 * `compaction` item of the gateway is text. Reasoning and items of other types are ignored.
 *
 * In a stream the deltas are the text. A text that no delta carried is taken from the first event
 * that has it: the end of the text, of its part, of its item, or of the response. Each later event
 * must repeat it, and the response at the end must have the items that were announced.
 */
export function createResponseAnswer(uses?: Uses): AnswerGatherer {
  const state: State = {
    uses,
    hasBegun: false,
    isCreated: false,
    hasItemEvents: false,
    isEnded: false,
    isCompaction: false,
    items: new Map(),
    finishReason: undefined,
    usage: undefined,
    bytes: 0,
    contradiction: undefined,
    undo: [],
  };
  return {
    body: (parsed) => {
      const response = asMembers(parsed);
      if (response === undefined) return;
      state.isCompaction = response['object'] === 'response.compaction';
      if (state.isCompaction) uses?.mark(response, 'object');
      if (response['object'] === 'response' || Array.isArray(response['output'])) {
        takeResponse(state, response, '');
      } else if (isError(response)) state.finishReason = 'error';
    },
    chunk: (parsed, name) => {
      const event = asMembers(parsed);
      if (event === undefined || state.contradiction !== undefined) return;
      state.undo = [];
      takeEvent(state, event, name);
      if (state.contradiction === undefined) return;
      for (const takeBack of state.undo.toReversed()) takeBack();
    },
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
    get contradiction() {
      return state.contradiction;
    },
  };
}

function takeEvent(state: State, event: Members, name: string | undefined): void {
  const { type } = event;
  if (isForeignFrame('responses', event)) state.contradiction = FOREIGN_FRAME;
  else if (typeof type !== 'string') {
    if (isError(event)) state.finishReason = 'error';
  } else if (name !== undefined && name !== type) contradict(state, 'the name of an event');
  else takeTypedEvent(state, event, type);
}

function takeTypedEvent(state: State, event: Members, type: string): void {
  const { uses } = state;
  if (state.isEnded && type.startsWith('response.')) return contradict(state, 'the end');
  switch (type) {
    case 'response.created':
      if (state.isCreated) return contradict(state, type);
      state.isCreated = true;
      return takeLifecycle(state, event, type);
    case 'response.queued':
    case 'response.in_progress':
      // Clients take the output of these events, too, for that of the response.
      return hasOutput(event) ? takeLifecycle(state, event, type) : undefined;
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
    case 'response.cancelled':
      takeLifecycle(state, event, type);
      state.isEnded = true;
      return undefined;
    case 'response.output_item.added':
    case 'response.output_item.done':
      begin(state, event);
      return takeItemEvent(state, event, type);
    case 'response.content_part.added':
    case 'response.content_part.done':
      begin(state, event);
      return takePart(state, takeItemOf(state, event), {
        part: asMembers(event['part']),
        position: takePosition(state, event),
        extent: extentOf(type),
      });
    case 'error':
      uses?.mark(event, 'type');
      state.finishReason = 'error';
      return undefined;
    default:
      return takeText(state, event, type);
  }
}

const extentOf = (type: string): Extent => (type.endsWith('.done') ? 'whole' : 'beginning');

function begin(state: State, event?: Members): void {
  if (event !== undefined) {
    state.uses?.mark(event, 'type');
    if (!state.isCreated) state.uses?.note('no response.created');
  }
  if (state.hasBegun) return;
  state.hasBegun = true;
  state.undo.push(() => void (state.hasBegun = false));
  state.bytes += ENTRY_BYTES;
}

function takeLifecycle(state: State, event: Members, type: string): void {
  const response = takeMembers(state.uses, event, 'response');
  if (response === undefined) return;
  begin(state, event);
  takeResponse(state, response, type.slice('response.'.length));
}

const BEGINNINGS = new Set(['created', 'queued', 'in_progress']);

const hasOutput = (event: Members): boolean =>
  asList(asMembers(event['response'])?.['output']).length > 0;

/** Takes a response; `ending` is empty for one that is no event of a stream. */
function takeResponse(state: State, response: Members, ending: string): void {
  begin(state);
  const { uses } = state;
  const status = asString(response['status']) || ending;
  const isFinal = !BEGINNINGS.has(ending);
  if (isFinal && ending !== '' && status !== ending) return contradict(state, 'response.status');
  const output = takeList(uses, response, 'output');
  for (const [position, value] of output.entries()) {
    const item = asMembers(value);
    if (item === undefined) continue;
    if (isFinal && isUnannounced(state, position, item)) return contradict(state, 'output[]');
    takeItem(state, itemAt(state, position), item, isFinal ? 'whole' : 'beginning');
  }
  if (Array.isArray(response['output']) && (ending === 'completed' || ending === 'incomplete')) {
    const isMissing = ([index]: [number, unknown]): boolean => !asMembers(output[index]);
    if ([...state.items].some(isMissing)) contradict(state, 'output[]');
  }
  if (isFinal) takeOutputText(state, response);
  if (state.contradiction !== undefined || !isFinal) return;
  takeUsage(state, response);
  const reason = takeStatus(state, response, status);
  if (state.finishReason !== 'error') state.finishReason = reason ?? state.finishReason;
}

/** Returns whether the end of a response has an item of the answer that no event announced. */
function isUnannounced({ hasItemEvents, items }: State, position: number, item: Members): boolean {
  if (!hasItemEvents || (items.get(position)?.type ?? '') !== '') return false;
  return item['type'] === 'message' || item['type'] === 'function_call';
}

/** Takes the text that clients add to a response; a server may have added it, too. */
function takeOutputText(state: State, response: Members): void {
  if (typeof response['output_text'] !== 'string') return;
  const text = takeString(state.uses, response, 'output_text');
  if (text !== textOf(itemsInOrder(state), 'text')) contradict(state, 'output_text');
}

/** Statuses and reasons of which each has a finish reason of its own. */
const OWN_STATUSES = new Set(['completed', 'incomplete', 'failed']);
const OWN_REASONS = new Set<unknown>(['max_output_tokens', 'content_filter']);

function takeStatus(state: State, response: Members, status: string): FinishReason | undefined {
  if (response['status'] === status && OWN_STATUSES.has(status))
    state.uses?.mark(response, 'status');
  switch (status) {
    case 'completed':
      return hasCalls(state) ? 'tool_calls' : 'stop';
    case 'incomplete': {
      // An unknown reason counts as `length`: the answer was cut off.
      const details = asMembers(response['incomplete_details']);
      const reason = details?.['reason'];
      if (details && OWN_REASONS.has(reason)) state.uses?.mark(details, 'reason');
      return reason === 'content_filter' ? 'content_filter' : 'length';
    }
    case 'failed':
    case 'cancelled':
      return 'error';
    default:
      return undefined;
  }
}

function takeItemOf(state: State, event: Members): Item {
  const index = takeCount(state.uses, event, 'output_index');
  if (index === undefined) state.uses?.note('output_index');
  return itemAt(state, index ?? 0);
}

function takePosition({ uses }: State, event: Members): number {
  const position = takeCount(uses, event, 'content_index');
  if (position === undefined) uses?.note('content_index');
  return position ?? 0;
}

function takeItemEvent(state: State, event: Members, type: string): void {
  const source = asMembers(event['item']);
  if (source === undefined) return;
  const item = takeItemOf(state, event);
  const extent = extentOf(type);
  if (extent === 'beginning' && item.type !== '') return contradict(state, type);
  state.hasItemEvents = true;
  takeItem(state, item, source, extent);
}

/** Takes the event of a text: a piece of it, or its end. */
function takeText(state: State, event: Members, type: string): void {
  const [, stem = '', ending] = /^(.+)\.(delta|done)$/.exec(type) ?? [];
  const kind = KIND_OF.get(stem);
  if (kind === undefined) return;
  begin(state, event);
  const item = takeItemOf(state, event);
  const isOfCall = kind === 'arguments';
  if (isOfCall && item.type === '') return; // Not a call that clients know.
  if (item.type !== '' && item.type !== typeOf(kind)) return contradict(state, 'item.type');
  const position = isOfCall ? 0 : takePosition(state, event);
  const name = ending === 'delta' ? 'delta' : kind;
  const extent = ending === 'delta' ? 'piece' : 'whole';
  takeWord(state, item, { holder: event, name, kind, extent, position });
  if (asString(event['name']) === '' || !isOfCall) return;
  if (takeString(state.uses, event, 'name') !== item.name) contradict(state, 'name');
}

function itemsInOrder({ items }: State): Item[] {
  return [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item);
}

function hasCalls({ items }: State): boolean {
  return [...items.values()].some(({ type }) => type === 'function_call');
}

function toAnswerChoice(state: State): AnswerChoice {
  const items = itemsInOrder(state);
  const content = textOf(items, 'text') + textOf(items, 'refusal');
  const toolCalls = items
    .filter(({ type }) => type === 'function_call')
    .map((item) => ({
      id: item.callId,
      name: item.name,
      arguments: textOf([item], 'arguments'),
    }));
  return { index: 0, content: content === '' ? null : content, toolCalls };
}

function takeUsage(state: State, response: Members): void {
  const source = asMembers(response['usage']);
  const usage = source && toUsage(source);
  if (source === undefined || usage === undefined) return;
  state.usage = usage;
  const names = ['input_tokens', 'output_tokens', 'total_tokens'];
  state.uses?.markLast(
    'usage',
    source,
    names.filter((name) => asCount(source[name]) !== undefined),
  );
}

function toUsage(usage: Members): ReportedUsage | undefined {
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
