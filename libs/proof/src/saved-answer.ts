import type { AnswerChoice } from './answer.ts';
import type { AnswerGatherer } from './answer-gatherer.ts';
import { createChatAnswer } from './chat-answer.ts';
import { ProofError } from './errors.ts';
import { asMembers } from './lenient.ts';
import { createMessageAnswer } from './message-answer.ts';
import { createSseSplitter } from './sse.ts';
import type { SseFrame } from './sse.ts';

/**
 * The choices in an answer that a client saved as it came: a plain JSON body or the transcript of
 * a stream (server-sent events), in the chat-completions or the messages dialect, or of a native
 * endpoint, where `content` is all that was said (an agent's chat, a completion with data beside
 * it). Which of them it is, the answer itself says. Throws `answer`, and `frame_too_large`.
 */
export function parseSavedAnswer(bytes: Uint8Array): AnswerChoice[] {
  const text = decodeUtf8(bytes);
  return /^\s*\{/.test(text) ? choicesOfBody(text) : choicesOfTranscript(bytes);
}

type Members = Record<string, unknown>;

type Dialect = 'chat-completions' | 'messages';

const createAnswerOf: Record<Dialect, () => AnswerGatherer> = {
  'chat-completions': createChatAnswer,
  messages: createMessageAnswer,
};

function choicesOfBody(text: string): AnswerChoice[] {
  const body = parseMembers(text);
  const dialect = dialectOfBody(body);
  if (dialect === undefined) {
    if (isError(body)) return [];
    if (typeof body['content'] === 'string') return choicesOfText(body['content']);
    throw new ProofError(
      'answer',
      'an answer of the chat-completions dialect has a list of choices, one of the messages ' +
        'dialect is a message with a list of content blocks, and a native one has text as content',
    );
  }
  const answer = createAnswerOf[dialect]();
  answer.body(body);
  return answer.choices();
}

/**
 * A gateway hands frames on whose meaning it does not know, and so they stand in what was saved:
 * the first frame that can be of one dialect only decides, and what says nothing in that dialect
 * delivers nothing.
 */
function choicesOfTranscript(bytes: Uint8Array): AnswerChoice[] {
  let answer: AnswerGatherer | undefined;
  let isStream = false;
  let hasFailed = false;
  let text: string | undefined;
  for (const { data, event: name } of framesOf(bytes)) {
    isStream ||= data !== undefined;
    const event = data === undefined ? undefined : readMembers(data);
    if (event === undefined) continue;
    const dialect = dialectOfEvent(event);
    if (dialect !== undefined) answer ??= createAnswerOf[dialect]();
    // Native streams say the whole again when they are done; only deltas were delivered first.
    else if (name === 'delta' || name === 'done') text ??= '';
    if (name === 'delta' && typeof event['content'] === 'string')
      text = (text ?? '') + event['content'];
    hasFailed ||= isError(event);
    answer?.chunk(event);
  }
  if (answer !== undefined) return answer.choices();
  if (text !== undefined) return choicesOfText(text);
  if (hasFailed) return [];
  if (isStream) throw foreign();
  throw new ProofError('answer', 'the answer is neither JSON nor the event stream of an answer');
}

/** A native answer is one choice, and tool calls of a turn are the agent's own. */
function choicesOfText(text: string): AnswerChoice[] {
  return [{ index: 0, content: text === '' ? null : text, toolCalls: [] }];
}

function* framesOf(bytes: Uint8Array): Generator<SseFrame> {
  const splitter = createSseSplitter();
  yield* splitter.push(bytes);
  const rest = splitter.end();
  if (rest !== undefined) yield rest;
}

function dialectOfBody(body: Members): Dialect | undefined {
  if (Array.isArray(body['choices'])) return 'chat-completions';
  return Array.isArray(body['content']) ? 'messages' : undefined;
}

/** The dialect that only one of them can have said this in. */
function dialectOfEvent(event: Members): Dialect | undefined {
  if (Array.isArray(event['choices'])) return 'chat-completions';
  const { type } = event;
  const isOfMessage = typeof type === 'string' && /^(?:message|content_block)_/.test(type);
  return isOfMessage ? 'messages' : undefined;
}

function isError(members: Members): boolean {
  return members['type'] === 'error' || 'error' in members;
}

function foreign(): ProofError {
  return new ProofError(
    'answer',
    'no frame of the stream is a chunk with a list of choices (chat-completions dialect) ' +
      'or an event of a message with its type (messages dialect)',
  );
}

/** The members of the object that a frame holds; undefined for `[DONE]` and all that is none. */
function readMembers(data: string): Members | undefined {
  try {
    return asMembers(JSON.parse(data));
  } catch {
    return undefined; // handed on by the gateway as it came
  }
}

function parseMembers(json: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
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
