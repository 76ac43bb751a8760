import { answerMessageWith, answerResponseWith, answerWith } from '@witan/testing';
import type { Gate, MessageAnswer, ResponseAnswer, Script } from '@witan/testing';
import type { DialectName, FinishReason } from './test-client.ts';

/** Output of a scripted model, independent of the dialect. */
export type ModelOutput = {
  /** Signed reasoning that precedes the text; sent in the messages dialect only. */
  thinking?: { thinking: string; signature: string };
  /** The text, in the pieces in which a stream sends it. */
  text?: readonly string[];
  /** Tool calls; `input` is JSON text. */
  calls?: readonly { id: string; name: string; input: string }[];
  /** Finish reason; by default `tool_calls` if there are `calls`, otherwise `stop`. */
  finishReason?: FinishReason;
  /** Token counts; `input` excludes `cached` tokens. */
  usage?: { input: number; output: number; cached?: number };
};

export type Delivery = {
  headers?: Readonly<Record<string, string>>;
  /** Breaks the connection after this many pieces of text. */
  cutAfterTexts?: number;
  /**
   * Awaited before each frame. `framesUntil` returns how many frames to release for a piece of
   * text.
   */
  gate?: Gate;
  byteByByte?: boolean;
  lineEnd?: '\n' | '\r\n';
};

const USAGE = { input: 11, output: 7, cached: 0 };

/** Number of frames before the first piece of text, in a stream without reasoning. */
const LEADING_FRAMES: Readonly<Record<DialectName, number>> = {
  'chat-completions': 1,
  messages: 3,
  responses: 4,
};

/**
 * Returns the number of frames up to and including piece number `textCount` of the text, in a
 * stream without reasoning.
 */
export const framesUntil = (dialect: DialectName, textCount: number): number =>
  LEADING_FRAMES[dialect] + textCount;

/** Returns a script that sends the output in `dialect`, as a stream if the request asks for one. */
export const sendModelOutput = (
  dialect: DialectName,
  output: ModelOutput,
  delivery: Delivery = {},
): Script => {
  const { cutAfterTexts, ...rest } = delivery;
  const cut = cutAfterTexts === undefined ? {} : { cutAfter: framesUntil(dialect, cutAfterTexts) };
  const options = { ...rest, ...cut };
  if (dialect === 'messages') return answerMessageWith(toMessageAnswer(output), options);
  if (dialect === 'responses') return answerResponseWith(toResponseAnswer(output), options);
  return sendAsChat(output, options);
};

const sendAsChat = (
  { text, calls = [], finishReason, usage = USAGE }: ModelOutput,
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
  return answerWith({ ...answer, ...(finishReason && { finishReason }) }, options);
};

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

const toMessageAnswer = ({
  thinking,
  text,
  calls = [],
  finishReason,
  usage = USAGE,
}: ModelOutput): MessageAnswer => ({
  blocks: [
    ...(thinking ? [{ type: 'thinking' as const, ...thinking }] : []),
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...calls.map((call) => ({ type: 'tool_use' as const, ...call })),
  ],
  ...(finishReason && { stopReason: STOP_REASONS[finishReason] }),
  usage: {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cached ?? 0,
    output_tokens: usage.output,
  },
});

const INCOMPLETE_REASONS: Readonly<Record<FinishReason, string | undefined>> = {
  stop: undefined,
  tool_calls: undefined,
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

const toResponseAnswer = ({
  text,
  calls = [],
  finishReason = 'stop',
  usage: { input, output, cached = 0 } = USAGE,
}: ModelOutput): ResponseAnswer => {
  const incomplete = INCOMPLETE_REASONS[finishReason];
  return {
    ...(text && { text }),
    calls: calls.map(({ id, name, input: json }) => ({ id, name, arguments: json })),
    ...(incomplete !== undefined && { incomplete }),
    usage: {
      input_tokens: input + cached,
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + cached + output,
    },
  };
};
