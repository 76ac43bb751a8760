import type {
  ChatCompletion,
  ChatCompletionChunk,
  Choice,
  Delta,
  FinishReason,
  ToolCall,
} from './chat-completion.ts';

export type StreamOptions = {
  readonly includeUsage?: boolean;
};

const WORDS_PER_CHUNK = 3;
const MAX_CHUNK_CHARACTERS = 24;

type Step = { readonly delta: Delta; readonly finishReason: FinishReason | null };

/**
 * Yields the chunks of `answer`: for every choice the role, then groups of words (for tool calls id
 * and name, then pieces of the arguments), then the finish reason. Choices alternate. With
 * `includeUsage` every chunk has `usage: null`, and one more chunk has the usage and `choices: []`,
 * as the dialect requires. The transport adds `[DONE]`.
 */
export function* streamOffline(
  answer: ChatCompletion,
  { includeUsage = false }: StreamOptions = {},
): Iterable<ChatCompletionChunk> {
  const { id, created, model, system_fingerprint, usage } = answer;
  const frame = {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    system_fingerprint,
  } as const;
  const emptyUsage = includeUsage ? { usage: null } : {};
  const stepsOf = answer.choices.map((choice) => listSteps(choice));
  const rounds = Math.max(0, ...stepsOf.map((steps) => steps.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, choice] of answer.choices.entries()) {
      const step = stepsOf[index]?.[round];
      if (step === undefined) continue;
      const { delta, finishReason } = step;
      const part = { index: choice.index, delta, logprobs: null, finish_reason: finishReason };
      yield { ...frame, choices: [part], ...emptyUsage };
    }
  }
  if (includeUsage) yield { ...frame, choices: [], usage };
}

function listSteps({ message, finish_reason: finishReason }: Choice): Step[] {
  const { content, refusal, tool_calls: calls = [] } = message;
  const opening: Delta = {
    role: 'assistant',
    content: content === null ? null : '',
    refusal: null,
  };
  const deltas: Delta[] = [
    opening,
    ...cutIntoPieces(content ?? '').map((piece) => ({ content: piece })),
    ...cutIntoPieces(refusal ?? '').map((piece) => ({ refusal: piece })),
    ...calls.flatMap((call, index) => listCallDeltas(call, index)),
  ];
  return [...deltas.map((delta) => ({ delta, finishReason: null })), { delta: {}, finishReason }];
}

function listCallDeltas({ id, type, function: called }: ToolCall, index: number): Delta[] {
  const opening = { index, id, type, function: { name: called.name, arguments: '' } };
  const pieces = cutIntoPieces(called.arguments).map((piece) => ({
    index,
    function: { arguments: piece },
  }));
  return [opening, ...pieces].map((call) => ({ tool_calls: [call] }));
}

/**
 * Cuts a text into groups of three words; a run without spaces is cut every 24 characters, never
 * inside a character.
 */
function cutIntoPieces(text: string): string[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+\s+|\s+/gu) ?? [];
  const pieces: string[] = [];
  for (let start = 0; start < words.length; start += WORDS_PER_CHUNK) {
    const characters = [...words.slice(start, start + WORDS_PER_CHUNK).join('')];
    for (let at = 0; at < characters.length; at += MAX_CHUNK_CHARACTERS) {
      pieces.push(characters.slice(at, at + MAX_CHUNK_CHARACTERS).join(''));
    }
  }
  return pieces;
}
