import type { AnswerHead, AnswerPiece, AnswerTail } from '../dialect.ts';
import { parseObject } from '../json/json-value.ts';
import { parseExactly } from '../json/parse-exactly.ts';
import { isTooDeep } from '../json/json-text.ts';

export const encodeResponse = (
  head: AnswerHead,
  pieces: readonly AnswerPiece[],
  tail: AnswerTail,
) => ({
  id: messageId(head),
  type: 'message' as const,
  role: 'assistant' as const,
  model: head.model,
  content: toBlocks(pieces),
  ...encodeStop(tail, { hasCalls: pieces.some((piece) => piece.case === 'toolCall') }),
  usage: encodeUsage(tail.usage),
});

export const messageId = ({ id }: AnswerHead): string => `msg_${id}`;

type StopReason = 'max_tokens' | 'refusal' | 'tool_use' | 'end_turn' | 'stop_sequence';

/**
 * Encodes why the answer ended. Clients run tools only after `tool_use`, but other providers may
 * report `stop` for an answer that was forced to call a tool. So an answer with tool calls that
 * ended normally gets `tool_use`.
 */
export const encodeStop = (
  tail: AnswerTail,
  { hasCalls }: { hasCalls: boolean },
): { stop_reason: StopReason; stop_sequence: string | null } => {
  const stopWithoutSequence = (reason: StopReason) => ({
    stop_reason: reason,
    stop_sequence: null,
  });
  if (tail.finishReason === 'length') return stopWithoutSequence('max_tokens');
  if (tail.finishReason === 'content_filter') return stopWithoutSequence('refusal');
  if (hasCalls) return stopWithoutSequence('tool_use');
  if (tail.stopSequence === '') return stopWithoutSequence('end_turn');
  return { stop_reason: 'stop_sequence', stop_sequence: tail.stopSequence };
};

/**
 * Encodes token counts; counts of cache and thinking that the provider did not report are absent.
 * In this dialect `input_tokens` does not include tokens that were read from or written to a cache.
 */
export const encodeUsage = (usage: AnswerTail['usage']) => {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: Math.max(0, promptTokens - (cachedTokens ?? 0) - (cacheWriteTokens ?? 0)),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
    output_tokens_details:
      reasoningTokens === undefined ? undefined : { thinking_tokens: reasoningTokens },
  };
};

type TextBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };
type CallBlock<Input> = { type: 'tool_use'; id: string; name: string; input: Input };
type PartialBlock = TextBlock | CallBlock<string>;
export type Block = TextBlock | CallBlock<unknown>;

const toBlocks = (pieces: readonly AnswerPiece[]): Block[] => {
  const blocks: PartialBlock[] = [];
  for (const piece of pieces) addPiece(blocks, piece);
  return blocks.map((block) =>
    block.type === 'tool_use' ? { ...block, input: toInput(block.input) } : block,
  );
};

const addPiece = (blocks: PartialBlock[], piece: AnswerPiece): void => {
  const last = blocks.at(-1);
  switch (piece.case) {
    case 'text':
    case 'refusal':
      if (last?.type === 'text') last.text += piece.value;
      else if (piece.value !== '') blocks.push({ type: 'text', text: piece.value });
      break;
    case 'toolCall': {
      const { id = '', name = '' } = piece.value;
      blocks.push({ type: 'tool_use', id, name, input: '' });
      break;
    }
    case 'toolArguments':
      if (last?.type === 'tool_use') last.input += piece.value;
      break;
    case 'reasoning':
      if (last?.type === 'thinking' && last.signature === '') last.thinking += piece.value;
      else if (piece.value !== '')
        blocks.push({ type: 'thinking', thinking: piece.value, signature: '' });
      break;
    case 'reasoningSignature':
      if (last?.type === 'thinking') last.signature += piece.value;
      else blocks.push({ type: 'thinking', thinking: '', signature: piece.value });
      break;
    case 'redactedReasoning':
      blocks.push({ type: 'redacted_thinking', data: piece.value });
  }
};

/**
 * Parses a tool call's arguments. Returns the text itself if it is not the JSON of an object
 * (truncated or invalid) or is nested too deeply.
 */
const toInput = (text: string): unknown => {
  if (text.trim() === '') return {};
  return parseObject(text) && !isTooDeep(text) ? parseExactly(text) : text;
};
