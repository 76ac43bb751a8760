import { sha256Hex } from './bytes.ts';
import type { FinishReason } from './certificate.ts';
import { commitmentText } from './commitment.ts';
import { ProofError } from './errors.ts';
import { asMembers, asString } from './uses.ts';
import type { Uses } from './uses.ts';

export { asMembers, asString };

export type AnswerToolCall = { id: string; name: string; arguments: string };

export type AnswerChoice = { index: number; content: string | null; toolCalls: AnswerToolCall[] };

/**
 * Returns the text whose SHA-256 is `response.sha256` in the certificate: the canonical text of the
 * list of `{index, content, toolCalls}`, ordered by choice. It is the same for a streamed and a
 * plain answer.
 */
export function answerCommitmentText(choices: readonly AnswerChoice[]): string {
  return commitmentText(
    choices
      .toSorted((a, b) => a.index - b.index)
      .map(({ index, content, toolCalls }) => ({
        content,
        index,
        toolCalls: toolCalls.map((call) => ({
          arguments: call.arguments,
          id: call.id,
          name: call.name,
        })),
      })),
  );
}

export function commitAnswer(choices: readonly AnswerChoice[]): string {
  return sha256Hex(answerCommitmentText(choices));
}

/**
 * Collects the choices, finish reason and usage of an answer, from a whole body or from chunks, in
 * one dialect. Accepts any input: a member of the wrong type counts as absent, and nothing is
 * thrown.
 */
export type AnswerGatherer = {
  body(parsed: unknown): void;
  /** `event` is the name of the chunk's server-sent event, if it has one. */
  chunk(parsed: unknown, event?: string): void;
  /**
   * Says which part of the answer repeats a text, name, id or argument with another value than
   * before, or belongs to another kind of answer. Clients would show one or the other. That part
   * and all later ones are not collected.
   */
  readonly contradiction: string | undefined;
  choices(): AnswerChoice[];
  /**
   * Finish reason of the first choice; undefined until the provider reports one. An unknown value
   * counts as `stop`, because the provider did end the answer.
   */
  readonly finishReason: FinishReason | undefined;
  readonly usage: ReportedUsage | undefined;
  /**
   * Size of the collected content, for a memory limit: the UTF-8 bytes of texts, ids, names and
   * arguments plus 64 for each choice and tool call.
   */
  readonly contentBytes: number;
};

/**
 * Token counts that a provider reported; not part of a certificate. The last three are absent if
 * the provider did not report them; 0 means that it reported 0.
 */
export type ReportedUsage = {
  /** Tokens of the whole prompt, including those that were read from or written to a cache. */
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
};

type FoundCounts = Record<keyof ReportedUsage, number | undefined>;

/** Maximum count, because the contract between services uses 32-bit integers. */
const TOKENS_MAX = 2 ** 32 - 1;

/**
 * Returns undefined if the prompt count or the completion count is missing, or if a count exceeds
 * 2^32-1. If the total is missing, it is the sum of both.
 */
export function toReportedUsage(found: FoundCounts): ReportedUsage | undefined {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = found;
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const totalTokens = found.totalTokens ?? promptTokens + completionTokens;
  const usage: ReportedUsage = { promptTokens, completionTokens, totalTokens };
  if (cachedTokens !== undefined) usage.cachedTokens = cachedTokens;
  if (cacheWriteTokens !== undefined) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  return Object.values(usage).every((count) => count <= TOKENS_MAX) ? usage : undefined;
}

export type Dialect = 'chat-completions' | 'messages' | 'responses';

type Members = Record<string, unknown>;

/** Contradictions of an answer, which refuse it: in words for its reader. */
export const FOREIGN_FRAME = 'a frame belongs to another kind of answer';

export const AMBIGUOUS_FRAME =
  'a frame has a CR without LF, or a byte order mark: clients read other lines';

export function differs(member: string): string {
  return `${member} is not what was received before`;
}

/**
 * Returns the contradiction of a member whose value is no text, because clients show it as one: 5
 * as `5`, and an object as `[object Object]`. Null is no text, too, but nothing is shown for it.
 */
export function findNoText(member: string, value: unknown): string | undefined {
  if (typeof value === 'string' || value === undefined || value === null) return undefined;
  return `${member} is not text`;
}

/** Returns the dialect whose clients read a frame as a part of an answer; undefined if none. */
export function dialectOfFrame({ choices, type }: Members): Dialect | undefined {
  if (Array.isArray(choices)) return 'chat-completions';
  if (typeof type !== 'string') return undefined;
  if (type.startsWith('response.')) return 'responses';
  return /^(?:message|content_block)_/.test(type) ? 'messages' : undefined;
}

/**
 * Returns the result of an MCP tool call in a saved body: the result itself, the JSON-RPC response
 * with it, or that of `tasks/get`; undefined if the body is none of them.
 */
export function findMcpResult(body: Members): Members | undefined {
  const response = body['jsonrpc'] === '2.0' ? asMembers(body['result']) : body;
  if (response === undefined) return undefined;
  const task = typeof response['taskId'] === 'string' ? asMembers(response['result']) : response;
  if (task === undefined || !Array.isArray(task['content'])) return undefined;
  const isResult =
    task['resultType'] === 'complete' || asMembers(task['structuredContent']) !== undefined;
  return isResult || task['isError'] === true ? task : undefined;
}

/** Returns whether a client could take a frame for a message or a result of MCP. */
export function looksLikeMcp(frame: Members): boolean {
  return frame['jsonrpc'] !== undefined || findMcpResult(frame) !== undefined;
}

/**
 * Returns whether a frame is, also or only, part of an answer of another kind than that of its
 * stream.
 */
export function isForeignFrame(dialect: Dialect, event: Members): boolean {
  if (looksLikeMcp(event)) return true;
  const isChunk = Array.isArray(event['choices']);
  if (isChunk && dialect !== 'chat-completions') return true;
  if (typeof event['type'] !== 'string') return false;
  const other = dialectOfFrame({ type: event['type'] });
  return other !== undefined && other !== dialect;
}

// The `as...` functions of this file read untrusted values from a provider. A value of the wrong
// type counts as absent, and nothing is thrown.

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/**
 * Returns the length of a text in bytes of UTF-8. A lone surrogate counts as three bytes, those of
 * U+FFFD.
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2; // A surrogate pair has two code units, but four bytes.
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

// The `take...` functions read a member like the `as...` functions, and mark it if it has the
// type that is read. Null is read as no text; an empty list or object is read as nothing.

export function takeString(uses: Uses | undefined, holder: Members, name: string): string {
  const value = holder[name];
  if (typeof value === 'string' || value === null) uses?.mark(holder, name);
  return asString(value);
}

export function takeCount(
  uses: Uses | undefined,
  holder: Members,
  name: string,
): number | undefined {
  const count = asCount(holder[name]);
  if (count !== undefined) uses?.mark(holder, name);
  return count;
}

export function takeList(
  uses: Uses | undefined,
  holder: Members,
  name: string,
): readonly unknown[] {
  const value = holder[name];
  if (Array.isArray(value) && value.length === 0) uses?.mark(holder, name);
  return asList(value);
}

export function takeMembers(
  uses: Uses | undefined,
  holder: Members,
  name: string,
): Members | undefined {
  const members = asMembers(holder[name]);
  if (uses && members && Object.keys(members).length === 0) uses.mark(holder, name);
  return members;
}

/** Bytes of memory that a choice or tool call is assumed to take in addition to its texts. */
export const ENTRY_BYTES = 64;

export function toArguments(value: unknown): string {
  try {
    return commitmentText(value);
  } catch (error) {
    if (error instanceof ProofError) return '';
    throw error;
  }
}

/**
 * Returns the arguments that are committed to, given the JSON text of a tool's input in the
 * messages dialect: its canonical text, which is the same for a streamed and a plain answer. An
 * empty text gives `{}`. A text that does not parse, for example because the answer was cut off, is
 * returned unchanged; one that is nested too deep gives an empty text. Never throws.
 */
export function toInputArguments(json: string): string {
  if (json.trim() === '') return '{}';
  let input: unknown;
  try {
    input = JSON.parse(json);
  } catch {
    return json;
  }
  return toArguments(input);
}
