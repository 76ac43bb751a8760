import type { AnswerPiece, StreamDecoder } from '../dialect.ts';
import { asNumber, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createBlockQueue } from '../neutral/create-block-queue.ts';
import type { Block, BlockQueue } from '../neutral/create-block-queue.ts';
import { inputText, messagePieces, openingPieces, textPieces } from './decode-response.ts';

type ContentBlock = Block & {
  isCall: boolean;
  hasArguments: boolean;
};

/**
 * Creates a decoder of a provider's stream, which returns pieces in order and never throws,
 * whatever the events contain. If a provider interleaves blocks, the pieces of the later block are
 * buffered until the earlier one ends, so that no arguments are added to the wrong call.
 */
export const createStreamDecoder = (): StreamDecoder => {
  const blocks = createBlockQueue<ContentBlock>();
  let stopSequence = '';
  return {
    push: (event) => {
      const index = asNumber(event.index) ?? 0;
      switch (event.type) {
        case 'message_start':
          return messagePieces(asObject(event.message) ?? {});
        case 'content_block_start':
          return start(blocks, index, asObject(event.content_block) ?? {});
        case 'content_block_delta':
          return append(blocks, index, asObject(event.delta) ?? {});
        case 'content_block_stop':
          return blocks.close(index);
        case 'message_delta':
          stopSequence = asText(asObject(event.delta)?.stop_sequence) || stopSequence;
          return [];
        default:
          return [];
      }
    },
    end: blocks.closeAll,
    get bufferedSize() {
      return blocks.bufferedSize;
    },
    get stopSequence() {
      return stopSequence;
    },
  };
};

const start = (
  blocks: BlockQueue<ContentBlock>,
  index: number,
  source: JsonObject,
): AnswerPiece[] => {
  const isCall = source.type === 'tool_use';
  /** Arguments in the start event of the tool call; used if no argument deltas follow. */
  const input = isCall ? inputText(source) : '';
  const block: ContentBlock = {
    isCall,
    hasArguments: false,
    heldSize: input.length,
    closing: () => (isCall && !block.hasArguments ? [{ case: 'toolArguments', value: input }] : []),
  };
  return blocks.start(index, block, openingPieces(source));
};

const append = (
  blocks: BlockQueue<ContentBlock>,
  index: number,
  delta: JsonObject,
): AnswerPiece[] => {
  if (!blocks.find(index)) start(blocks, index, {});
  const block = blocks.find(index)!;
  const pieces = deltaPieces(delta, block.isCall);
  block.hasArguments ||= block.isCall && pieces.length > 0;
  return blocks.append(index, pieces);
};

const deltaPieces = (delta: JsonObject, isCall: boolean): AnswerPiece[] => {
  if (isCall) {
    return delta.type === 'input_json_delta' ? textPieces('toolArguments', delta.partial_json) : [];
  }
  switch (delta.type) {
    case 'text_delta':
      return textPieces('text', delta.text);
    case 'thinking_delta':
      return textPieces('reasoning', delta.thinking);
    case 'signature_delta':
      return textPieces('reasoningSignature', delta.signature);
    default:
      return [];
  }
};
