import type { FinishReason } from '@witan/proof';
import type { AnswerHead, AnswerPiece, AnswerTail } from '../dialect.ts';

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

/**
 * Encodes a complete answer. Reasoning is sent as `reasoning_content`, as other runtimes do; its
 * signature is omitted, because the dialect has no member for it.
 */
export const encodeResponse = (
  head: AnswerHead,
  pieces: readonly AnswerPiece[],
  tail: AnswerTail,
) => {
  const reasoning = joinText(pieces, 'reasoning');
  const toolCalls = toToolCalls(pieces);
  const text = joinText(pieces, 'text');
  const refusal = joinText(pieces, 'refusal');
  const hasNoContent = text === '' && (toolCalls.length > 0 || refusal !== '');
  const message = {
    role: 'assistant' as const,
    content: hasNoContent ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  const choice = {
    index: 0,
    message,
    logprobs: null,
    finish_reason: toFinishReason(tail.finishReason),
  };
  return {
    id: toAnswerId(head),
    object: 'chat.completion' as const,
    created: head.created,
    model: head.model,
    choices: [choice],
    usage: encodeUsage(tail.usage),
  };
};

type TextCase = 'text' | 'refusal' | 'reasoning';

const joinText = (pieces: readonly AnswerPiece[], wantedCase: TextCase): string =>
  pieces.map((piece) => (piece.case === wantedCase ? piece.value : '')).join('');

const toToolCalls = (pieces: readonly AnswerPiece[]): ToolCall[] => {
  const calls: ToolCall[] = [];
  for (const piece of pieces) {
    if (piece.case === 'toolCall') {
      const { id = '', name = '' } = piece.value;
      calls.push({ id, type: 'function', function: { name, arguments: '' } });
    } else if (piece.case === 'toolArguments') {
      const call = calls.at(-1);
      if (call) call.function.arguments += piece.value;
    }
  }
  return calls;
};

export const toAnswerId = ({ id }: AnswerHead): string => `chatcmpl-${id}`;

export const toFinishReason = (
  reason: FinishReason,
): Exclude<FinishReason, 'aborted' | 'error' | 'lost'> => {
  if (reason === 'aborted' || reason === 'error' || reason === 'lost') {
    throw new Error(`An answer that ended by "${reason}" is no answer: send an error frame.`);
  }
  return reason;
};

/**
 * Encodes token counts as OpenAI does. The details members are present only if the provider
 * reported them.
 */
export const encodeUsage = (usage: AnswerTail['usage']) => {
  const { cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  const hasCacheCounts = cachedTokens !== undefined || cacheWriteTokens !== undefined;
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    ...(hasCacheCounts && {
      prompt_tokens_details: {
        ...(cachedTokens !== undefined && { cached_tokens: cachedTokens }),
        ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
      },
    }),
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
};
