import type { AnswerChoice, AnswerToolCall, AnswerGatherer } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import {
  asCount,
  asMembers,
  asString,
  differs,
  ENTRY_BYTES,
  findNoText,
  FOREIGN_FRAME,
  isForeignFrame,
  takeCount,
  takeList,
  takeMembers,
  takeString,
  toArguments,
  toInputArguments,
  toReportedUsage,
  utf8Length,
} from './answer.ts';
import type { Uses } from './uses.ts';

type Members = Record<string, unknown>;

type Call = { id: string; name: string; input: string; pieces: string };

/** A block of the content; `call` is set for `tool_use` only. */
type Block = { type: string; text: string; call: Call | undefined; isStopped: boolean };

type Counts = {
  input: number | undefined;
  cacheRead: number | undefined;
  cacheWrite: number | undefined;
  output: number | undefined;
  thinking: number | undefined;
};

type State = {
  readonly uses: Uses | undefined;
  hasBegun: boolean;
  hasStarted: boolean;
  /** True if the first event had a name, as all others must then have. */
  isNamed: boolean;
  /** Blocks by their index, in the order of which their texts are joined. */
  readonly blocks: Map<number, Block>;
  /** Number of blocks that were started; clients count them. */
  startedBlocks: number;
  /** As the provider wrote it; empty until it reports one. */
  stopReason: string;
  hasFailed: boolean;
  readonly counts: Counts;
  bytes: number;
  contradiction: string | undefined;
};

const FINISH_REASON_OF = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

/** The stop reasons of whose finish reason no other has the same. */
const SAME_REASONS = new Set(['end_turn', 'max_tokens', 'tool_use', 'refusal']);

/**
 * Creates an empty {@link AnswerGatherer} of the messages dialect: `body` reads a Message, `chunk`
 * an event of its stream (`message_start` to `message_stop`, `error`). A message is a single choice
 * with index 0.
 *
 * Its `text` blocks are the content, and its `tool_use` blocks are the tool calls, whose arguments
 * are the canonical text of `input` (in a stream: {@link toInputArguments} of the text). All other
 * blocks are ignored: thinking, signatures, and those of tools that the provider runs itself
 * (`server_tool_use`, `mcp_tool_use`, their results), because they are neither text of the model
 * nor calls for the client.
 */
export function createMessageAnswer(uses?: Uses): AnswerGatherer {
  const state: State = {
    uses,
    hasBegun: false,
    hasStarted: false,
    isNamed: false,
    blocks: new Map(),
    startedBlocks: 0,
    stopReason: '',
    hasFailed: false,
    counts: {
      input: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
      output: undefined,
      thinking: undefined,
    },
    bytes: 0,
    contradiction: undefined,
  };
  return {
    body: (parsed) => takeBody(state, asMembers(parsed)),
    chunk: (parsed, name) => {
      const event = asMembers(parsed);
      if (event !== undefined && state.contradiction === undefined) takeEvent(state, event, name);
    },
    choices: () => (state.hasBegun ? [toAnswerChoice(state)] : []),
    get finishReason() {
      if (state.hasFailed) return 'error';
      const { stopReason } = state;
      return stopReason === '' ? undefined : (FINISH_REASON_OF.get(stopReason) ?? 'stop');
    },
    get usage() {
      return toUsage(state.counts);
    },
    get contentBytes() {
      return state.bytes;
    },
    get contradiction() {
      return state.contradiction;
    },
  };
}

function contradict(state: State, member: string): void {
  state.contradiction ??= differs(member);
}

function takeBody(state: State, message: Members | undefined): void {
  if (message === undefined) return;
  if (isError(message)) state.hasFailed = true;
  else if (Array.isArray(message['content'])) {
    takeMessage(state, message);
    takeOutputCounts(state, asMembers(message['usage']));
  }
}

function takeEvent(state: State, event: Members, name: string | undefined): void {
  const { uses } = state;
  const { type } = event;
  if (isForeignFrame('messages', event)) state.contradiction = FOREIGN_FRAME;
  else if (typeof type === 'string' && name !== undefined && name !== type) {
    contradict(state, 'the name of an event');
  }
  if (state.contradiction !== undefined) return;
  const take = typeof type === 'string' ? EVENTS.get(type) : undefined;
  // The official client reads only events that have a name, after the one that starts a message.
  if (name === undefined && (take || type === 'message_stop')) {
    if (state.isNamed) return contradict(state, 'the name of an event');
    uses?.note('events without a name');
  }
  if (take !== undefined) {
    takeString(uses, event, 'type');
    if (type !== 'message_start' && !state.hasStarted) uses?.note('no message_start');
    take(state, event, name);
  } else if (isError(event)) state.hasFailed = true;
}

const EVENTS = new Map<string, (state: State, event: Members, name?: string) => void>([
  [
    'message_start',
    (state, event, name) => {
      if (state.hasStarted) return contradict(state, 'message_start');
      state.hasStarted = true;
      state.isNamed = name !== undefined;
      // The event's `output_tokens` were counted before the answer was generated, so only later
      // counts are used.
      takeMessage(state, takeMembers(state.uses, event, 'message'));
    },
  ],
  [
    'content_block_start',
    (state, event) => {
      const index = takeCount(state.uses, event, 'index') ?? state.startedBlocks;
      // Clients number the blocks themselves, and lose the text of a block behind a gap.
      if (index > state.startedBlocks) state.contradiction = 'there is a gap between blocks';
      else takeBlock(state, asMembers(event['content_block']), index);
    },
  ],
  ['content_block_delta', takeDelta],
  [
    'content_block_stop',
    ({ blocks, uses }, event) => {
      const block = blocks.get(asCount(event['index']) ?? -1);
      if (block === undefined || block.isStopped) return;
      block.isStopped = true;
      uses?.mark(event, 'index');
    },
  ],
  [
    'message_delta',
    (state, event) => {
      takeStopReason(state, asMembers(event['delta']));
      if (state.contradiction !== undefined) return;
      countMessage(state);
      takeInputCounts(state, asMembers(event['usage']));
      takeOutputCounts(state, asMembers(event['usage']));
    },
  ],
]);

function takeMessage(state: State, message: Members | undefined): void {
  countMessage(state);
  if (message === undefined) return;
  for (const [position, block] of takeList(state.uses, message, 'content').entries()) {
    takeBlock(state, asMembers(block), position);
  }
  takeStopReason(state, message);
  takeInputCounts(state, asMembers(message['usage']));
}

function countMessage(state: State): void {
  if (state.hasBegun) return;
  state.hasBegun = true;
  state.bytes += ENTRY_BYTES;
}

function takeBlock(state: State, source: Members | undefined, index: number): void {
  if (state.blocks.has(index)) return contradict(state, 'content_block_start.index');
  if (source?.['type'] === 'text') state.contradiction = findNoText('text', source['text']);
  if (state.contradiction !== undefined) return;
  const { uses } = state;
  countMessage(state);
  state.startedBlocks += 1;
  const block: Block = {
    type: asString(source?.['type']),
    text: '',
    call: undefined,
    isStopped: false,
  };
  state.blocks.set(index, block);
  if (source === undefined) return;
  if (block.type === 'text') {
    if (typeof source['text'] === 'string') uses?.mark(source, 'type');
    addText(state, block, takeString(uses, source, 'text'));
  } else if (block.type === 'tool_use') {
    uses?.mark(source, 'type');
    block.call = takeCall(state, source);
  }
}

function takeCall(state: State, source: Members): Call {
  const { uses } = state;
  const id = takeString(uses, source, 'id');
  const name = takeString(uses, source, 'name');
  const input = toInput(source['input']);
  // A text that is JSON is also the input of an object with the same value.
  if (uses && !(typeof source['input'] === 'string' && isJson(source['input']))) {
    uses.mark(source, 'input');
  }
  state.bytes += ENTRY_BYTES + utf8Length(id) + utf8Length(name) + utf8Length(input);
  return { id, name, input, pieces: '' };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.trim() === '';
  }
}

/**
 * Returns the arguments of a tool call from its `input`. A gateway sends arguments as text if it
 * could not parse them as an object.
 */
function toInput(input: unknown): string {
  if (input === undefined) return '{}';
  return typeof input === 'string' ? toInputArguments(input) : toArguments(input);
}

function takeDelta(state: State, event: Members): void {
  const { uses } = state;
  const index = asCount(event['index']) ?? 0;
  const delta = takeMembers(uses, event, 'delta');
  const block = state.blocks.get(index);
  if (block?.isStopped) return contradict(state, 'content_block_stop');
  if (delta !== undefined) state.contradiction = findNoTextIn(delta);
  if (state.contradiction !== undefined) return;
  if (delta?.['type'] === 'text_delta') {
    if (block === undefined) uses?.note('no content_block_start');
    else if (block.type !== 'text') return contradict(state, 'content_block_delta.delta.type');
    countMessage(state);
    if (typeof delta['text'] === 'string') uses?.mark(delta, 'type');
    if (block !== undefined) takeIndex(uses, event);
    addText(state, block ?? newTextBlock(state, index), takeString(uses, delta, 'text'));
  } else if (delta?.['type'] === 'input_json_delta') {
    if (block?.call === undefined) return; // Not a call for the client.
    const piece = asString(delta['partial_json']);
    // Clients replace an input that the block began with.
    if (piece !== '' && block.call.input !== '{}') return contradict(state, 'content_block.input');
    uses?.mark(delta, 'type');
    takeIndex(uses, event);
    takeString(uses, delta, 'partial_json');
    block.call.pieces += piece;
    state.bytes += utf8Length(piece);
  }
}

function findNoTextIn({ type, text, partial_json: piece }: Members): string | undefined {
  if (type === 'text_delta') return findNoText('text', text);
  return type === 'input_json_delta' ? findNoText('partial_json', piece) : undefined;
}

function takeIndex(uses: Uses | undefined, event: Members): void {
  if (takeCount(uses, event, 'index') === undefined) uses?.note('content_block_delta.index');
}

function newTextBlock({ blocks }: State, index: number): Block {
  const block: Block = { type: 'text', text: '', call: undefined, isStopped: false };
  blocks.set(index, block);
  return block;
}

function addText(state: State, block: Block, text: string): void {
  block.text += text;
  state.bytes += utf8Length(text);
}

/**
 * Reads the stop reason unless an error has occurred: an answer that an error ended is not
 * complete, whatever stop reason the provider reports.
 */
function takeStopReason(state: State, source: Members | undefined): void {
  if (source === undefined) return;
  const reason = asString(source['stop_reason']);
  if (reason === '') {
    // A body without it does not say why it ended.
    if (state.hasStarted) takeString(state.uses, source, 'stop_reason');
    return;
  }
  if (state.stopReason !== '' && reason !== state.stopReason) {
    return contradict(state, 'stop_reason');
  }
  state.stopReason = reason;
  if (SAME_REASONS.has(reason)) state.uses?.markLast('finish', source, ['stop_reason']);
}

function takeInputCounts(state: State, usage: Members | undefined): void {
  takeCountOf(state, 'input', usage, 'input_tokens');
  takeCountOf(state, 'cacheRead', usage, 'cache_read_input_tokens');
  takeCountOf(state, 'cacheWrite', usage, 'cache_creation_input_tokens');
}

function takeOutputCounts(state: State, usage: Members | undefined): void {
  takeCountOf(state, 'output', usage, 'output_tokens');
  const details = asMembers(usage?.['output_tokens_details']);
  state.counts.thinking = asCount(details?.['thinking_tokens']) ?? state.counts.thinking;
}

function takeCountOf(
  { counts, uses }: State,
  purpose: keyof Counts,
  usage: Members | undefined,
  name: string,
): void {
  const count = asCount(usage?.[name]);
  if (usage === undefined || count === undefined) return;
  counts[purpose] = count;
  uses?.markLast(`usage ${purpose}`, usage, [name]);
}

/**
 * Returns the token counts that the provider reported. In this dialect `input_tokens` does not
 * include cached tokens, and there is no total.
 */
function toUsage({ input, cacheRead, cacheWrite, output, thinking }: Counts) {
  return toReportedUsage({
    promptTokens: input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0),
    completionTokens: output,
    totalTokens: undefined,
    cachedTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: thinking,
  });
}

/** Returns whether an event is an error. Some servers omit the type of such an event. */
function isError({ type, error }: Members): boolean {
  return type === 'error' || (type === undefined && asMembers(error) !== undefined);
}

function toAnswerChoice({ blocks }: State): AnswerChoice {
  const inOrder = [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block);
  const text = inOrder.map((block) => block.text).join('');
  const toolCalls = inOrder.flatMap(({ call }) => (call === undefined ? [] : [toToolCall(call)]));
  return { index: 0, content: text === '' ? null : text, toolCalls };
}

function toToolCall({ id, name, input, pieces }: Call): AnswerToolCall {
  return { id, name, arguments: pieces === '' ? input : toInputArguments(pieces) };
}
