import type { AnswerChoice } from './answer.ts';
import { createChatAnswer } from './chat-answer.ts';
import type { ChatAnswer } from './chat-answer.ts';
import { ProofError } from './errors.ts';
import { asMembers } from './lenient.ts';
import { createSseSplitter } from './sse.ts';
import type { SseFrame } from './sse.ts';

/**
 * The choices in an answer that a client saved as it came: a plain JSON body or the transcript of
 * a stream (server-sent events), in the chat-completions dialect. Throws `answer`, and
 * `frame_too_large`.
 */
export function parseSavedAnswer(bytes: Uint8Array): AnswerChoice[] {
  const text = decodeUtf8(bytes);
  const answer = createChatAnswer();
  if (/^\s*\{/.test(text)) answer.body(asAnswer(text));
  else takeTranscript(answer, bytes);
  return answer.choices();
}

function takeTranscript(answer: ChatAnswer, bytes: Uint8Array): void {
  const splitter = createSseSplitter();
  const frames: (SseFrame | undefined)[] = [...splitter.push(bytes), splitter.end()];
  let chunks = 0;
  for (const frame of frames) {
    if (frame?.data === undefined || frame.data === '[DONE]') continue;
    answer.chunk(asAnswer(frame.data));
    chunks += 1;
  }
  if (chunks === 0)
    throw new ProofError('answer', 'the answer is neither JSON nor an event stream');
}

function asAnswer(json: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new ProofError('answer', `not JSON: ${json.slice(0, 80)}`, { cause });
  }
  const members = asMembers(value);
  if (members !== undefined && (Array.isArray(members['choices']) || 'error' in members)) {
    return value;
  }
  throw new ProofError('answer', 'an answer of the chat-completions dialect has a list of choices');
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ProofError('answer', 'the answer is not UTF-8', { cause });
  }
}
