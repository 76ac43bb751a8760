export type ScriptedToolCall = {
  readonly id?: string;
  readonly name: string;
  readonly arguments: string;
};

export type ChatAnswer = {
  /**
   * Text of the answer; by default `pong`, or none if there are tool calls. The parts of a list are
   * streamed one by one.
   */
  readonly content?: string | readonly string[] | null;
  readonly toolCalls?: readonly ScriptedToolCall[];
  readonly finishReason?: string;
  readonly id?: string;
  readonly model?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  /**
   * Tokens that a reasoning model spends before its answer; by default derived from published
   * measurements.
   */
  readonly reasoningTokens?: number;
  /** Merged into the completion at every depth, or into every chunk of a stream. */
  readonly extra?: object;
};

const DEFAULT_USAGE = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };

export function toChatCompletion(answer: ChatAnswer = {}): object {
  const { usage = DEFAULT_USAGE, extra = {} } = answer;
  const pieces = toPieces(answer);
  const calls = toToolCalls(answer);
  const message = {
    role: 'assistant',
    content: pieces === null ? null : pieces.join(''),
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: toFinishReason(answer) };
  const body = { ...toFrame(answer, 'chat.completion'), choices: [choice], usage };
  return mergeDeep(body, extra) as object;
}

export function toChatChunks(
  answer: ChatAnswer = {},
  { includeUsage = false }: { readonly includeUsage?: boolean } = {},
): object[] {
  const { usage = DEFAULT_USAGE, extra = {} } = answer;
  const frame = toFrame(answer, 'chat.completion.chunk');
  const deltas = [
    { role: 'assistant', content: toPieces(answer) === null ? null : '' },
    ...(toPieces(answer) ?? []).map((content) => ({ content })),
    ...toToolCalls(answer).flatMap((call, index) => [
      { tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] },
      { tool_calls: [{ index, function: { arguments: call.function.arguments } }] },
    ]),
  ];
  const steps = [
    ...deltas.map((delta) => ({ delta, finish_reason: null })),
    { delta: {}, finish_reason: toFinishReason(answer) },
  ];
  const chunks: object[] = steps.map((step) => ({ ...frame, choices: [{ index: 0, ...step }] }));
  if (includeUsage) chunks.push({ ...frame, choices: [], usage });
  return chunks.map((chunk) => mergeDeep(chunk, extra) as object);
}

function toFrame({ id, model }: ChatAnswer, object: string): object {
  return { id: id ?? 'chatcmpl-scripted', object, created: 0, model: model ?? 'gpt-test' };
}

export const toText = (answer: ChatAnswer): string => (toPieces(answer) ?? []).join('');

function toPieces({ content, toolCalls = [] }: ChatAnswer): readonly string[] | null {
  if (content === undefined) return toolCalls.length > 0 ? null : ['po', 'ng'];
  return typeof content === 'string' ? [content] : content;
}

type WireToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

function toToolCalls({ toolCalls = [] }: ChatAnswer): WireToolCall[] {
  return toolCalls.map(({ id, name, arguments: text }, index) => ({
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: text },
  }));
}

function toFinishReason({ finishReason, toolCalls = [] }: ChatAnswer): string {
  return finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

/**
 * Returns a copy of `base` with `extra` merged in at every depth: objects by key, arrays by index;
 * other values are replaced. Tests use it to add unknown fields.
 */
export function mergeDeep(base: unknown, extra: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(extra)) {
    const length = Math.max(base.length, extra.length);
    return Array.from({ length }, (_, index) =>
      index in extra ? mergeDeep(base[index], extra[index]) : base[index],
    );
  }
  if (!isPlainObject(base) || !isPlainObject(extra)) return extra === undefined ? base : extra;
  const added = Object.entries(extra).map(([key, value]) => [key, mergeDeep(base[key], value)]);
  return { ...base, ...Object.fromEntries(added) };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
