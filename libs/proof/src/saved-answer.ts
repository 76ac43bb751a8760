import {
  AMBIGUOUS_FRAME,
  asMembers,
  asString,
  dialectOfFrame,
  differs,
  findMcpResult,
  findNoText,
  FOREIGN_FRAME,
  looksLikeMcp,
  takeString,
} from './answer.ts';
import type { AnswerChoice, AnswerGatherer, Dialect, ReportedUsage } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import { createChatAnswer } from './chat-answer.ts';
import { createEmbeddingAnswer } from './embedding-answer.ts';
import { ProofError } from './errors.ts';
import { findStreamedMcpResult, readMcpContent } from './mcp-answer.ts';
import { createMessageAnswer } from './message-answer.ts';
import { createResponseAnswer } from './response-answer.ts';
import { createSseSplitter } from './sse.ts';
import type { SseFrame } from './sse.ts';
import { parseUniqueJson } from './strict-json.ts';
import { createUses } from './uses.ts';
import type { UseRecorder, Uses } from './uses.ts';

export type SavedAnswer = {
  choices: AnswerChoice[];
  /** Only for answers in one of the three dialects of conversations. */
  dialect?: Dialect;
  /** Only for embeddings: each vector as base64 of little-endian 32-bit floats. */
  vectors?: string[];
  finishReason: FinishReason | undefined;
  usage:
    | (Pick<ReportedUsage, 'promptTokens' | 'completionTokens'> & { totalTokens?: number })
    | undefined;
  /**
   * True if the last usage in the stream is in a chunk with choices. It may be an interim count,
   * because the chunk with the final one may not have been forwarded to the client.
   */
  hasInterimUsage?: boolean;
  models: string[];
  /**
   * Only for streams in one of the three dialects: `last` if the terminal event (`[DONE]`,
   * `message_stop`) is in the last frame, `passed` if frames follow it, `missing` if there is none.
   */
  streamEnd?: 'last' | 'missing' | 'passed';
  /** True for a stream, of any kind, whose end is missing. */
  isCut?: boolean;
  notCovered: string[];
};

/**
 * Returns the choices of an answer that a client saved: a JSON body or the transcript of a stream
 * (server-sent events), in the chat-completions, messages or responses dialect, the format of a
 * native endpoint, where `content` is the whole text, or a result of an MCP tool. The format is
 * detected from the answer.
 * Throws ProofError `answer`, `duplicate_key` and `frame_too_large`.
 */
export function parseSavedAnswer(bytes: Uint8Array): AnswerChoice[] {
  return readSavedAnswer(bytes).choices;
}

/** Reads a saved answer, and records in `uses` what of it is hashed or compared. */
export function readSavedAnswer(bytes: Uint8Array, uses: UseRecorder = createUses()): SavedAnswer {
  // Bytes that are not UTF-8 become U+FFFD, as in clients and in the gateway.
  const text = new TextDecoder().decode(bytes);
  return /^[ \t\r\n]*\{/.test(text) ? readBody(text, uses) : readTranscript(bytes, uses);
}

type Members = Record<string, unknown>;

const createGatherer: Record<Dialect, (uses: Uses) => AnswerGatherer> = {
  'chat-completions': createChatAnswer,
  messages: createMessageAnswer,
  responses: createResponseAnswer,
};

function readBody(text: string, uses: UseRecorder): SavedAnswer {
  const body = parseMembers(text);
  const isAnswer = ['choices', 'output', 'data'].some((name) => name in body);
  const mcpResult = isAnswer || body['type'] === 'message' ? undefined : findMcpResult(body);
  if (mcpResult !== undefined) return readMcpAnswer(mcpResult, [body], uses);
  const dialect = dialectOfBody(body);
  if (dialect !== undefined) return readDialectBody(dialect, body, uses);
  if (isEmbeddings(body)) return readEmbeddings(body, uses);
  if (takeError(uses, body)) return toNative([], [body], uses);
  if (typeof body['content'] === 'string') {
    return toNative(choicesOfText(takeString(uses, body, 'content')), [body], uses);
  }
  throw new ProofError(
    'answer',
    'an answer of the chat-completions dialect has a list of choices, one of the messages ' +
      'dialect is a message with a list of content blocks, one of the responses dialect has a ' +
      'list of output items, embeddings are a list of vectors, a native answer has text as ' +
      'content, and one of MCP is the result of a tool call',
  );
}

function readDialectBody(dialect: Dialect, body: Members, uses: UseRecorder): SavedAnswer {
  const answer = createGatherer[dialect](uses);
  answer.body(body);
  assertConsistent(answer);
  return {
    choices: answer.choices(),
    dialect,
    finishReason: answer.finishReason,
    usage: usageOf(dialect, answer),
    models: modelsIn([body], uses),
    notCovered: uses.unused([body], answer.usage !== undefined),
  };
}

/** Throws ProofError `answer` if clients could read one answer or another. */
function assertConsistent({ contradiction }: AnswerGatherer): void {
  if (contradiction !== undefined) throw new ProofError('answer', contradiction);
}

function isEmbeddings({ object, data }: Members): boolean {
  return object === 'list' && Array.isArray(data);
}

/** Reads a response of `POST /v1/embeddings`. Throws ProofError `answer` for invalid vectors. */
function readEmbeddings(body: Members, uses: UseRecorder): SavedAnswer {
  const answer = createEmbeddingAnswer(uses);
  answer.body(body);
  uses.mark(body, 'object');
  assertConsistent(answer);
  const vectors = answer.vectors();
  if (vectors.length === 0) {
    throw new ProofError(
      'answer',
      'an embedding is neither a list of numbers nor base64 of floats',
    );
  }
  return {
    choices: [],
    vectors,
    finishReason: undefined,
    usage: answer.usage,
    models: modelsIn([body], uses),
    notCovered: uses.unused([body], answer.usage !== undefined),
  };
}

/**
 * Reads a result of an MCP tool: its text, which must be the one in `structuredContent` if that has
 * one, because clients show either.
 */
function readMcpAnswer(result: Members, parts: readonly Members[], uses: UseRecorder): SavedAnswer {
  if (result['isError'] === true) {
    uses.mark(result, 'isError');
    return toNative([], parts, uses);
  }
  return toNative(choicesOfText(readMcpContent(result, uses)), parts, uses);
}

/**
 * Reads the transcript of a stream. It is of one dialect, that of the first frame that has one.
 * Unknown frames are accepted, because a gateway forwards frames that it does not understand, but
 * they contribute nothing. Throws ProofError `answer` for a frame of another kind of answer.
 */
function readTranscript(bytes: Uint8Array, uses: UseRecorder): SavedAnswer {
  const frames = readFrames(bytes, uses).filter(({ data }) => data !== undefined);
  const events = frames.map(({ data }) => readMembers(data ?? ''));
  const messages = events.flatMap((event) => (event?.['jsonrpc'] === '2.0' ? [event] : []));
  if (messages.length > 0 && messages.length === events.length) {
    return readMcpAnswer(findStreamedMcpResult(messages), messages, uses);
  }
  const dialect = events.map((event) => event && dialectOfFrame(event)).find(Boolean);
  if (dialect === undefined) return readNativeStream(frames, events, uses);
  const answer = createGatherer[dialect](uses);
  let hasFailed = false;
  for (const [position, event] of events.entries()) {
    if (event === undefined) continue;
    const { event: name } = frames[position]!;
    if (isNativeName(name) && dialectOfFrame(event) === undefined) throw foreignFrame();
    hasFailed = takeError(uses, event) || hasFailed;
    answer.chunk(event, name);
  }
  assertConsistent(answer);
  const terminal = frames.findIndex(({ data }, n) => isTerminal(dialect, data ?? '', events[n]));
  if (terminal !== -1 && events[terminal]) uses.mark(events[terminal], 'type');
  return {
    choices: answer.choices(),
    dialect,
    finishReason: hasFailed ? 'error' : answer.finishReason,
    usage: usageOf(dialect, answer),
    hasInterimUsage: hasInterimUsage(events),
    models: modelsIn(
      events.filter((event) => event !== undefined),
      uses,
    ),
    streamEnd: streamEndOf(terminal, frames),
    isCut: terminal === -1,
    notCovered: uses.unused(withoutDone(frames, events), answer.usage !== undefined),
  };
}

function streamEndOf(terminal: number, frames: readonly SseFrame[]): SavedAnswer['streamEnd'] {
  if (terminal === -1) return 'missing';
  return terminal === frames.length - 1 ? 'last' : 'passed';
}

/** Returns the parsed frames, without `[DONE]`, which has no member. */
function withoutDone(
  frames: readonly SseFrame[],
  events: readonly (Members | undefined)[],
): (Members | undefined)[] {
  return events.filter((_event, position) => frames[position]?.data?.trim() !== '[DONE]');
}

function isNativeName(name: string | undefined): boolean {
  return name === 'delta' || name === 'done';
}

function foreignFrame(): ProofError {
  return new ProofError('answer', FOREIGN_FRAME);
}

function readNativeStream(
  frames: readonly SseFrame[],
  events: readonly (Members | undefined)[],
  uses: UseRecorder,
): SavedAnswer {
  let isEnded = false;
  let hasFailed = false;
  let text: string | undefined;
  for (const [position, event] of events.entries()) {
    const { event: name } = frames[position]!;
    if (event === undefined) {
      uses.note('frames without a JSON object');
      continue;
    }
    if (looksLikeMcp(event)) throw foreignFrame();
    if (isEnded && isNativeName(name)) throw new ProofError('answer', differs('the event done'));
    const contradiction = isNativeName(name) && findNoText('content', event['content']);
    if (contradiction) throw new ProofError('answer', contradiction);
    if (name === 'delta') text = (text ?? '') + takeString(uses, event, 'content');
    else if (name === 'done') {
      text ??= '';
      isEnded = true;
      // The last event repeats the whole text.
      const whole = event['content'];
      if (typeof whole === 'string' && takeString(uses, event, 'content') !== text) {
        throw new ProofError('answer', differs('content of the event done'));
      }
    } else uses.note(name === undefined ? 'events without a name' : `event ${name}`);
    if (takeError(uses, event)) hasFailed = true;
  }
  if (text === undefined && !hasFailed) {
    throw frames.length > 0
      ? noAnswerFrame()
      : new ProofError('answer', 'the answer is neither JSON nor the event stream of an answer');
  }
  const parts = events.filter((event, position) => event && isNativeName(frames[position]?.event));
  const choices = text === undefined ? [] : choicesOfText(text);
  return { ...toNative(choices, parts, uses), isCut: !isEnded && !hasFailed };
}

/**
 * Returns the answer of a native endpoint without its usage and model: the endpoint may report the
 * usage of several calls, so only the text can be compared with a certificate.
 */
function toNative(
  choices: AnswerChoice[],
  parts: readonly (Members | undefined)[],
  uses: UseRecorder,
): SavedAnswer {
  return {
    choices,
    finishReason: undefined,
    usage: undefined,
    models: [],
    notCovered: uses.unused(parts, false),
  };
}

/**
 * Returns the single choice of a native answer. It has no tool calls, because those in a chat turn
 * are executed by the agent.
 */
function choicesOfText(text: string): AnswerChoice[] {
  return [{ index: 0, content: text === '' ? null : text, toolCalls: [] }];
}

/**
 * Returns the frames of a transcript. The last one counts without its blank line only if it ends
 * the stream: clients drop it otherwise. Notes all lines but those of events and their names.
 */
function readFrames(bytes: Uint8Array, uses: Uses): SseFrame[] {
  const splitter = createSseSplitter();
  const frames = splitter.push(bytes);
  const rest = splitter.end();
  if ([...frames, rest].some((frame) => frame?.isAmbiguous)) {
    throw new ProofError('answer', AMBIGUOUS_FRAME);
  }
  if (rest?.data !== undefined) {
    const event = readMembers(rest.data);
    if (isTerminal('responses', rest.data, event) || event?.['type'] === 'message_stop') {
      frames.push(rest);
    } else uses.note('an unfinished event at the end');
  }
  for (const frame of frames) {
    for (const line of otherLines(frame)) uses.note(line);
    if (frame.data === undefined && frame.event !== undefined) uses.note(`event ${frame.event}`);
  }
  return frames;
}

/** Returns what the lines of a frame are that are neither its data nor its name. */
function otherLines({ bytes }: SseFrame): string[] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/);
  return lines.flatMap((line) => {
    if (line === '' || /^(?:data|event)(?::|$)/.test(line)) return [];
    if (line.startsWith(':')) return ['comments'];
    const [, name] = /^(id|retry)(?::|$)/.exec(line) ?? [];
    return [name === undefined ? 'lines that are no field of an event' : `event ${name}`];
  });
}

function usageOf(dialect: Dialect, { usage }: AnswerGatherer): SavedAnswer['usage'] {
  if (usage === undefined || dialect !== 'messages') return usage;
  const { promptTokens, completionTokens } = usage;
  return { promptTokens, completionTokens };
}

/**
 * Returns whether the last usage in a stream is in a chunk that also has choices. The gateway
 * forwards a chunk with usage only to clients that requested it, so a saved stream may lack the
 * final usage.
 */
function hasInterimUsage(events: readonly (Members | undefined)[]): boolean {
  const last = events.findLast((event) => asMembers(event?.['usage']) !== undefined);
  const choices = last?.['choices'];
  return Array.isArray(choices) && choices.length > 0;
}

function isTerminal(dialect: Dialect, data: string, event: Members | undefined): boolean {
  return dialect === 'messages' ? event?.['type'] === 'message_stop' : data.trim() === '[DONE]';
}

function dialectOfBody(body: Members): Dialect | undefined {
  if (Array.isArray(body['choices'])) return 'chat-completions';
  if (Array.isArray(body['output'])) return 'responses';
  return Array.isArray(body['content']) ? 'messages' : undefined;
}

/** Returns the models that the parts of an answer name, all of which are compared. */
function modelsIn(parts: readonly Members[], uses: Uses): string[] {
  const names = parts
    .flatMap((part) => [part, asMembers(part['message']), asMembers(part['response'])])
    .map((holder) => asString(holder?.['model']) && takeString(uses, holder!, 'model'));
  return [...new Set(names)].filter((name) => name !== '');
}

/** Returns whether a part of an answer is an error; that there is none is compared, too. */
function takeError(uses: Uses, members: Members): boolean {
  const { type, error } = members;
  if (error === null) uses.mark(members, 'error');
  return type === 'error' || (error !== undefined && error !== null);
}

function noAnswerFrame(): ProofError {
  return new ProofError(
    'answer',
    'no frame of the stream is a chunk with a list of choices (chat-completions dialect) ' +
      'or an event of a message or response with its type (messages and responses dialects)',
  );
}

/**
 * Returns the JSON object in a frame's data. Returns undefined for `[DONE]` and any other data,
 * which a gateway forwards unchanged.
 */
function readMembers(data: string): Members | undefined {
  try {
    return asMembers(parseUniqueJson(data));
  } catch (error) {
    if (error instanceof ProofError && error.reason === 'not_json') return undefined;
    throw error;
  }
}

function parseMembers(json: string): Members {
  let value: unknown;
  try {
    value = parseUniqueJson(json);
  } catch (cause) {
    if (cause instanceof ProofError && cause.reason === 'duplicate_key') throw cause;
    throw new ProofError('answer', `not JSON: ${json.slice(0, 80)}`, { cause });
  }
  const members = asMembers(value);
  if (members === undefined) throw new ProofError('answer', 'not a JSON object');
  return members;
}
