import type { AnswerChoice, AnswerToolCall, AnswerGatherer } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import { asCount, asList, asMembers, asString, utf8Length } from './lenient.ts';
import { toReportedUsage } from './answer.ts';
import { ENTRY_BYTES, toArguments, toInputArguments } from './tool-calls.ts';

type Members = Record<string, unknown>;

type Call = { id: string; name: string; input: string; pieces: string };

type Counts = {
  input: number | undefined;
  cacheRead: number | undefined;
  cacheWrite: number | undefined;
  output: number | undefined;
  thinking: number | undefined;
};

type State = {
  hasBegun: boolean;
  text: string;
  readonly calls: Call[];
  readonly callByBlockIndex: Map<number | undefined, Call>;
  finishReason: FinishReason | undefined;
  readonly counts: Counts;
  bytes: number;
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
export function createMessageAnswer(): AnswerGatherer {
  const state: State = {
    hasBegun: false,
    text: '',
    calls: [],
    callByBlockIndex: new Map(),
    finishReason: undefined,
    counts: {
      input: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
      output: undefined,
      thinking: undefined,
    },
    bytes: 0,
  };
  return {
    body: (parsed) => takeBody(state, parsed),
    chunk: (parsed) => takeEvent(state, parsed),
    choices: () => (state.hasBegun ? [toAnswerChoice(state)] : []),
    get finishReason() {
      return state.finishReason;
    },
    get usage() {
      return toUsage(state.counts);
    },
    get contentBytes() {
      return state.bytes;
    },
  };
}

function takeBody(state: State, parsed: unknown): void {
  const message = asMembers(parsed);
  if (message === undefined) return;
  if (isError(message)) state.finishReason = 'error';
  else if (Array.isArray(message['content'])) {
    takeMessage(state, message);
    takeOutputCounts(state.counts, asMembers(message['usage']));
  }
}

function takeEvent(state: State, parsed: unknown): void {
  const event = asMembers(parsed);
  if (event === undefined) return;
  switch (event['type']) {
    case 'content_block_delta':
      takeDelta(state, event);
      break;
    case 'content_block_start':
      countMessage(state);
      takeBlock(state, asMembers(event['content_block']), asCount(event['index']));
      break;
    case 'message_start':
      // The event's `output_tokens` were counted before the answer was generated, so only later
      // counts are used.
      takeMessage(state, asMembers(event['message']));
      break;
    case 'message_delta':
      countMessage(state);
      takeStopReason(state, asMembers(event['delta']));
      takeInputCounts(state.counts, asMembers(event['usage']));
      takeOutputCounts(state.counts, asMembers(event['usage']));
      break;
    default:
      if (isError(event)) state.finishReason = 'error';
  }
}

function takeMessage(state: State, message: Members | undefined): void {
  countMessage(state);
  for (const [position, block] of asList(message?.['content']).entries()) {
    takeBlock(state, asMembers(block), position);
  }
  takeStopReason(state, message);
  takeInputCounts(state.counts, asMembers(message?.['usage']));
}

function countMessage(state: State): void {
  if (state.hasBegun) return;
  state.hasBegun = true;
  state.bytes += ENTRY_BYTES;
}

function takeBlock(state: State, block: Members | undefined, index: number | undefined): void {
  if (block?.['type'] === 'text') addText(state, asString(block['text']));
  if (block?.['type'] !== 'tool_use') {
    // This block is no call for the client, so its deltas must not be added to an earlier call with
    // the same index.
    state.callByBlockIndex.delete(index);
    return;
  }
  const call = {
    id: asString(block['id']),
    name: asString(block['name']),
    input: toInput(block['input']),
    pieces: '',
  };
  state.calls.push(call);
  state.callByBlockIndex.set(index, call);
  state.bytes += ENTRY_BYTES + utf8Length(call.id) + utf8Length(call.name) + utf8Length(call.input);
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
  const delta = asMembers(event['delta']);
  if (delta?.['type'] === 'text_delta') {
    countMessage(state);
    addText(state, asString(delta['text']));
  } else if (delta?.['type'] === 'input_json_delta') {
    const call = state.callByBlockIndex.get(asCount(event['index']));
    if (call === undefined) return; // Not a call for the client.
    const piece = asString(delta['partial_json']);
    call.pieces += piece;
    state.bytes += utf8Length(piece);
  }
}

function addText(state: State, text: string): void {
  state.text += text;
  state.bytes += utf8Length(text);
}

/**
 * Reads the stop reason unless an error has occurred: an answer that an error ended is not
 * complete, whatever stop reason the provider reports.
 */
function takeStopReason(state: State, source: Members | undefined): void {
  const providerReason = asString(source?.['stop_reason']);
  if (providerReason === '' || state.finishReason === 'error') return;
  state.finishReason = FINISH_REASON_OF.get(providerReason) ?? 'stop';
}

function takeInputCounts(counts: Counts, usage: Members | undefined): void {
  counts.input = asCount(usage?.['input_tokens']) ?? counts.input;
  counts.cacheRead = asCount(usage?.['cache_read_input_tokens']) ?? counts.cacheRead;
  counts.cacheWrite = asCount(usage?.['cache_creation_input_tokens']) ?? counts.cacheWrite;
}

function takeOutputCounts(counts: Counts, usage: Members | undefined): void {
  counts.output = asCount(usage?.['output_tokens']) ?? counts.output;
  const details = asMembers(usage?.['output_tokens_details']);
  counts.thinking = asCount(details?.['thinking_tokens']) ?? counts.thinking;
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

function toAnswerChoice({ text, calls }: State): AnswerChoice {
  return { index: 0, content: text === '' ? null : text, toolCalls: calls.map(toToolCall) };
}

function toToolCall({ id, name, input, pieces }: Call): AnswerToolCall {
  return { id, name, arguments: pieces === '' ? input : toInputArguments(pieces) };
}
