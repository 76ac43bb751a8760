import { answerMessageWith, answerWith } from '@witan/testing';
import type { Gate, MessageAnswer, Script } from '@witan/testing';
import type { DialectName, Finish } from './test-client.ts';

/** What a model says, whatever dialect its vendor speaks. */
export type Speech = {
  /** Sealed thoughts before all else; only vendors of the messages dialect have them. */
  thinking?: { thinking: string; signature: string };
  /** The pieces that a stream brings it in. */
  text?: readonly string[];
  /** `input` is JSON text. */
  calls?: readonly { id: string; name: string; input: string }[];
  /** `stop`, or `tool_calls` when there are any. */
  finish?: Finish;
  /** `input` leaves out what was read from a cache. */
  usage?: { input: number; output: number; cached?: number };
};

/** How it is delivered; `texts` counts from the first piece of text. */
export type Delivery = {
  headers?: Readonly<Record<string, string>>;
  /** Breaks the connection after this many pieces of text. */
  cutAfterTexts?: number;
  /** Asked before every frame: see `framesUntil`. */
  gate?: Gate;
  /** One byte at a time. */
  byteByByte?: boolean;
  lineEnd?: '\n' | '\r\n';
};

const USAGE = { input: 11, output: 7, cached: 0 };

/** Frames of a stream before its first piece of text. */
const LEAD: Readonly<Record<DialectName, number>> = { 'chat-completions': 1, messages: 3 };

/** How many frames a stream has up to and including that many pieces of text. */
export const framesUntil = (dialect: DialectName, texts: number): number => LEAD[dialect] + texts;

/** Says it in the words of the vendor, plain or streamed as the request asks. */
export const say = (dialect: DialectName, speech: Speech, delivery: Delivery = {}): Script => {
  const { cutAfterTexts, ...rest } = delivery;
  const cut = cutAfterTexts === undefined ? {} : { cutAfter: framesUntil(dialect, cutAfterTexts) };
  return dialect === 'messages'
    ? answerMessageWith(toMessageAnswer(speech), { ...rest, ...cut })
    : sayAsChat(speech, { ...rest, ...cut });
};

const sayAsChat = (
  { text, calls = [], finish, usage = USAGE }: Speech,
  options: Parameters<typeof answerWith>[1],
): Script => {
  const { input, output, cached = 0 } = usage;
  const prompt_tokens = input + cached;
  const counts = {
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
  const toolCalls = calls.map(({ id, name, input: json }) => ({ id, name, arguments: json }));
  const answer = { content: text ?? null, toolCalls, usage: counts };
  return answerWith({ ...answer, ...(finish && { finishReason: finish }) }, options);
};

const STOP_REASONS: Readonly<Record<Finish, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

const toMessageAnswer = ({
  thinking,
  text,
  calls = [],
  finish,
  usage = USAGE,
}: Speech): MessageAnswer => ({
  blocks: [
    ...(thinking ? [{ type: 'thinking' as const, ...thinking }] : []),
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...calls.map((call) => ({ type: 'tool_use' as const, ...call })),
  ],
  ...(finish && { stopReason: STOP_REASONS[finish] }),
  usage: {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cached ?? 0,
    output_tokens: usage.output,
  },
});
