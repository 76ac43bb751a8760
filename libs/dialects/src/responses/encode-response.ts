import type { FinishReason } from '@witan/proof';
import type { AnswerHead, AnswerPiece, AnswerTail } from '../dialect.ts';
import { asList, asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createItemWriter } from './write-items.ts';
import type { OutputItem } from './write-items.ts';

/**
 * Encodes a complete answer. Reasoning is sent as the summary of a reasoning item, and what its
 * provider signed as `encrypted_content`. The dialect does not tell stop sequences.
 */
export const encodeResponse = (
  head: AnswerHead,
  pieces: readonly AnswerPiece[],
  tail: AnswerTail,
) => {
  const writer = createItemWriter(head, () => {});
  pieces.forEach(writer.take);
  const status = statusOf(tail.finishReason);
  writer.end(status);
  return toResponse(head, { status, output: writer.output, tail });
};

export const statusOf = (reason: FinishReason): 'completed' | 'incomplete' => {
  if (reason === 'aborted' || reason === 'error' || reason === 'lost') {
    throw new Error(`An answer that ended by "${reason}" is no answer: send an error frame.`);
  }
  return reason === 'length' || reason === 'content_filter' ? 'incomplete' : 'completed';
};

type Progress = {
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed';
  output: readonly OutputItem[];
  tail?: AnswerTail;
  /** Error of a response that failed. */
  message?: string;
};

/** Returns a response without an answer: one that waits to be carried out, or that failed. */
export const encodeEmptyResponse = (
  head: AnswerHead,
  outcome: { status: 'queued' } | { status: 'failed'; message: string },
): object => toResponse(head, { output: [], ...outcome });

/** Values of members that the request did not set. */
const DEFAULTS = {
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default' as const,
  store: false,
  temperature: 1,
  text: { format: { type: 'text' as const } },
  tool_choice: 'auto' as const,
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled' as const,
};

/** Returns the response object: members of the request, and the answer as far as it is known. */
export const toResponse = (head: AnswerHead, { status, output, tail, message }: Progress) => ({
  id: toResponseId(head),
  object: 'response' as const,
  created_at: head.created,
  completed_at: status === 'completed' ? (tail?.completed ?? head.created) : null,
  status,
  error: message === undefined ? null : { code: 'server_error' as const, message },
  incomplete_details: status === 'incomplete' ? incompleteDetails(tail) : null,
  model: head.model,
  ...DEFAULTS,
  ...toEcho(head.echo ?? {}),
  store: (tail ?? head).isStored ?? false,
  output,
  usage: tail ? encodeUsage(tail.usage) : null,
});

export const toResponseId = ({ id }: Pick<AnswerHead, 'id'>): string => `resp_${id}`;

const incompleteDetails = (
  tail: AnswerTail | undefined,
): { reason: 'content_filter' | 'max_output_tokens' } => ({
  reason: tail?.finishReason === 'content_filter' ? 'content_filter' : 'max_output_tokens',
});

/** Returns the request's members with the members that clients expect in each of them. */
const toEcho = ({ tools, text, reasoning, ...echo }: JsonObject): JsonObject => ({
  ...echo,
  ...(tools !== undefined && { tools: asList(tools).map(toEchoedTool) }),
  ...(text !== undefined && { text: { ...DEFAULTS.text, ...asObject(text) } }),
  ...(reasoning !== undefined && { reasoning: { ...DEFAULTS.reasoning, ...asObject(reasoning) } }),
});

const toEchoedTool = (tool: unknown): unknown =>
  asObject(tool)?.type === 'function'
    ? { description: null, parameters: null, strict: null, ...asObject(tool) }
    : tool;

/** Encodes token counts. Those that the provider did not report are 0; clients require them. */
const encodeUsage = (usage: AnswerTail['usage']) => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: {
    cached_tokens: usage.cachedTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
  },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  total_tokens: usage.totalTokens,
});
