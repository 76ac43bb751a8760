import type { AnswerChoice, AnswerGatherer, ReportedUsage } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import { createChatAnswer } from './chat-answer.ts';
import { createCoverage } from './coverage.ts';
import type { Coverage, Dialect } from './coverage.ts';
import { createEmbeddingAnswer } from './embedding-answer.ts';
import { ProofError } from './errors.ts';
import { asMembers, asString } from './lenient.ts';
import { findMcpResult, readMcpContent } from './mcp-answer.ts';
import { createMessageAnswer } from './message-answer.ts';
import { createResponseAnswer } from './response-answer.ts';
import { createSseSplitter } from './sse.ts';
import type { SseFrame } from './sse.ts';
import { parseUniqueJson } from './strict-json.ts';

export type SavedAnswer = {
  choices: AnswerChoice[];
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

export function readSavedAnswer(bytes: Uint8Array): SavedAnswer {
  const text = decodeUtf8(bytes);
  return /^\s*\{/.test(text) ? readBody(text) : readTranscript(bytes);
}

type Members = Record<string, unknown>;

const createGatherer: Record<Dialect, () => AnswerGatherer> = {
  'chat-completions': createChatAnswer,
  messages: createMessageAnswer,
  responses: createResponseAnswer,
};

function readBody(text: string): SavedAnswer {
  const body = parseMembers(text);
  const coverage = createCoverage();
  const mcpResult = findMcpResult(body);
  if (mcpResult !== undefined) return readMcpAnswer(mcpResult, coverage);
  const dialect = dialectOfBody(body);
  if (dialect === undefined) {
    if (isEmbeddings(body)) return readEmbeddings(body, coverage);
    coverage.takeNative(body);
    if (isError(body)) return toNative([], coverage);
    if (typeof body['content'] === 'string')
      return toNative(choicesOfText(body['content']), coverage);
    throw new ProofError(
      'answer',
      'an answer of the chat-completions dialect has a list of choices, one of the messages ' +
        'dialect is a message with a list of content blocks, one of the responses dialect has a ' +
        'list of output items, embeddings are a list of vectors, a native answer has text as ' +
        'content, and one of MCP is the result of a tool call',
    );
  }
  const answer = createGatherer[dialect]();
  answer.body(body);
  coverage.takeBody(dialect, body);
  return {
    choices: answer.choices(),
    finishReason: answer.finishReason,
    usage: usageOf(dialect, answer),
    models: modelsIn([body]),
    notCovered: [...coverage.notCovered(), ...listInvalidUsage(answer, [body])],
  };
}

function isEmbeddings({ object, data }: Members): boolean {
  return object === 'list' && Array.isArray(data);
}

/** Reads a response of `POST /v1/embeddings`. Throws ProofError `answer` for invalid vectors. */
function readEmbeddings(body: Members, coverage: Coverage): SavedAnswer {
  const answer = createEmbeddingAnswer();
  answer.body(body);
  coverage.takeEmbeddings(body);
  const vectors = answer.vectors();
  if (vectors.length === 0) {
    throw new ProofError(
      'answer',
      'an embedding is neither a list of numbers nor base64 of floats',
    );
  }
  const { usage } = answer;
  return {
    choices: [],
    vectors,
    finishReason: undefined,
    usage: usage && { promptTokens: usage.promptTokens, completionTokens: 0 },
    models: modelsIn([body]),
    notCovered: [...coverage.notCovered(), ...listInvalidUsage(answer, [body])],
  };
}

/**
 * Reads a result of an MCP tool: its text, which must be the one in `structuredContent` if that has
 * one, because clients show either.
 */
function readMcpAnswer(result: Members, coverage: Coverage): SavedAnswer {
  coverage.takeMcp(result);
  if (result['isError'] === true) return toNative([], coverage);
  return toNative(choicesOfText(readMcpContent(result)), coverage);
}

/**
 * Reads the transcript of a stream. The dialect is that of the first frame that identifies one.
 * Unknown frames are accepted, because a gateway forwards frames that it does not understand, but
 * they contribute nothing.
 */
function readTranscript(bytes: Uint8Array): SavedAnswer {
  const frames = [...framesOf(bytes)].filter(({ data }) => data !== undefined);
  const events = frames.map(({ data }) => readMembers(data ?? ''));
  const dialect = events.map((event) => event && dialectOfEvent(event)).find(Boolean);
  const mcpResult = events.map((event) => event && findMcpResult(event)).find(Boolean);
  if (mcpResult !== undefined) return readMcpAnswer(mcpResult, createCoverage());
  if (dialect === undefined) return readNativeStream(frames, events);
  const answer = createGatherer[dialect]();
  const coverage = createCoverage();
  let hasFailed = false;
  for (const [position, event] of events.entries()) {
    if (isTerminal(dialect, frames[position]?.data ?? '', event)) continue;
    coverage.takeFrame(dialect, event);
    if (event === undefined) continue;
    hasFailed ||= isError(event);
    answer.chunk(event);
  }
  return {
    choices: answer.choices(),
    finishReason: hasFailed ? 'error' : answer.finishReason,
    usage: usageOf(dialect, answer),
    hasInterimUsage: hasInterimUsage(events),
    models: modelsIn(events.filter((event) => event !== undefined)),
    streamEnd: streamEndOf(dialect, frames, events),
    notCovered: [...coverage.notCovered(), ...listInvalidUsage(answer, events)],
  };
}

function readNativeStream(
  frames: readonly SseFrame[],
  events: readonly (Members | undefined)[],
): SavedAnswer {
  const coverage = createCoverage();
  let hasFailed = false;
  let text: string | undefined;
  for (const [position, event] of events.entries()) {
    const name = frames[position]?.event;
    if (event === undefined) continue;
    // In a native stream `done` repeats the whole text, so only the deltas are concatenated.
    if (name === 'delta' || name === 'done') text ??= '';
    if (name === 'delta') text = (text ?? '') + asString(event['content']);
    else coverage.takeNativeEvent(name ?? '');
    hasFailed ||= isError(event);
  }
  if (text !== undefined) return toNative(choicesOfText(text), coverage);
  if (hasFailed) return toNative([], coverage);
  if (frames.length > 0) throw noAnswerFrame();
  throw new ProofError('answer', 'the answer is neither JSON nor the event stream of an answer');
}

/**
 * Returns the answer of a native endpoint without its usage and model: the endpoint may report the
 * usage of several calls, so only the text can be compared with a certificate.
 */
function toNative(choices: AnswerChoice[], coverage: Coverage): SavedAnswer {
  return {
    choices,
    finishReason: undefined,
    usage: undefined,
    models: [],
    notCovered: coverage.notCovered(),
  };
}

/**
 * Returns the single choice of a native answer. It has no tool calls, because those in a chat turn
 * are executed by the agent.
 */
function choicesOfText(text: string): AnswerChoice[] {
  return [{ index: 0, content: text === '' ? null : text, toolCalls: [] }];
}

function* framesOf(bytes: Uint8Array): Generator<SseFrame> {
  const splitter = createSseSplitter();
  yield* splitter.push(bytes);
  const rest = splitter.end();
  if (rest !== undefined) yield rest;
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

/**
 * Returns `usage` as not covered if the answer has token counts that are invalid and so cannot be
 * compared.
 */
function listInvalidUsage(
  { usage }: AnswerGatherer,
  parts: readonly (Members | undefined)[],
): string[] {
  const hasCounts = parts.some((part) =>
    [part, asMembers(part?.['response'])].some((found) => asMembers(found?.['usage'])),
  );
  return usage === undefined && hasCounts ? ['usage'] : [];
}

function streamEndOf(
  dialect: Dialect,
  frames: readonly SseFrame[],
  events: readonly (Members | undefined)[],
): 'last' | 'missing' | 'passed' {
  const index = frames.findIndex(({ data }, n) => isTerminal(dialect, data ?? '', events[n]));
  if (index === -1) return 'missing';
  return index === frames.length - 1 ? 'last' : 'passed';
}

function isTerminal(dialect: Dialect, data: string, event: Members | undefined): boolean {
  return dialect === 'messages' ? event?.['type'] === 'message_stop' : data.trim() === '[DONE]';
}

function dialectOfBody(body: Members): Dialect | undefined {
  if (Array.isArray(body['choices'])) return 'chat-completions';
  if (Array.isArray(body['output'])) return 'responses';
  return Array.isArray(body['content']) ? 'messages' : undefined;
}

function dialectOfEvent(event: Members): Dialect | undefined {
  if (Array.isArray(event['choices'])) return 'chat-completions';
  const { type } = event;
  if (typeof type !== 'string') return undefined;
  if (type.startsWith('response.')) return 'responses';
  return /^(?:message|content_block)_/.test(type) ? 'messages' : undefined;
}

function modelsIn(parts: readonly Members[]): string[] {
  const names = parts.flatMap((part) => [
    part['model'],
    asMembers(part['message'])?.['model'],
    asMembers(part['response'])?.['model'],
  ]);
  return [...new Set(names.map(asString))].filter((name) => name !== '');
}

function isError({ type, error }: Members): boolean {
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

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ProofError('answer', 'the answer is not UTF-8', { cause });
  }
}
