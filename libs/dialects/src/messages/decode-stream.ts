import type { AnswerPiece, StreamDecoder } from '../dialect.ts';
import { asNumber, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createQueue, bufferedSizeOf, ITEM_OVERHEAD } from '../neutral/create-queue.ts';
import { inputText, messagePieces, openingPieces, textPieces } from './decode-response.ts';

type Block = {
  isCall: boolean;
  /** Arguments in the start event of the tool call; used if no argument deltas follow. */
  input: string;
  hasArguments: boolean;
  isClosed: boolean;
  buffered: AnswerPiece[];
};

/**
 * Creates a decoder of a provider's stream, which returns pieces in order and never throws,
 * whatever the events contain. If a provider interleaves blocks, the pieces of the later block are
 * buffered until the earlier one ends, so that no arguments are added to the wrong call.
 */
export const createStreamDecoder = (): StreamDecoder => {
  const blocks = createBlockQueue();
  let stopSequence = '';
  return {
    push: (event) => {
      const index = asNumber(event.index) ?? 0;
      switch (event.type) {
        case 'message_start':
          return messagePieces(asObject(event.message) ?? {});
        case 'content_block_start':
          return blocks.start(index, asObject(event.content_block) ?? {});
        case 'content_block_delta':
          return blocks.append(index, asObject(event.delta) ?? {});
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

/**
 * Creates a queue of content blocks that emits the pieces of one block at a time. Each method
 * returns the pieces that can be emitted now.
 */
const createBlockQueue = () => {
  const queue = createQueue<Block>();
  const blockAt = new Map<number, Block>();
  let bufferedSize = 0;

  const emit = (block: Block, pieces: AnswerPiece[]): AnswerPiece[] => {
    if (queue.first === block) return pieces;
    for (const piece of pieces) {
      block.buffered.push(piece);
      bufferedSize += bufferedSizeOf(piece);
    }
    return [];
  };

  const start = (index: number, source: JsonObject): AnswerPiece[] => {
    // If the provider reuses an index without ending the previous block, that block ends here.
    const earlierPieces = close(blockAt.get(index));
    const isCall = source.type === 'tool_use';
    const input = isCall ? inputText(source) : '';
    const block: Block = { isCall, input, hasArguments: false, isClosed: false, buffered: [] };
    queue.push(block);
    bufferedSize += ITEM_OVERHEAD + input.length;
    blockAt.set(index, block);
    return [...earlierPieces, ...emit(block, openingPieces(source))];
  };

  const append = (index: number, delta: JsonObject): AnswerPiece[] => {
    if (!blockAt.has(index)) start(index, {});
    const block = blockAt.get(index)!;
    if (block.isClosed) return [];
    const pieces = deltaPieces(delta, block.isCall);
    block.hasArguments ||= block.isCall && pieces.length > 0;
    return emit(block, pieces);
  };

  const close = (block: Block | undefined): AnswerPiece[] => {
    if (!block || block.isClosed) return [];
    block.isClosed = true;
    const releasedPieces = emit(block, closingPieces(block));
    while (queue.first?.isClosed) {
      const { input } = queue.first;
      queue.shift();
      bufferedSize -= ITEM_OVERHEAD + input.length;
      for (const piece of queue.first?.buffered.splice(0) ?? []) {
        releasedPieces.push(piece);
        bufferedSize -= bufferedSizeOf(piece);
      }
    }
    return releasedPieces;
  };

  return {
    start,
    append,
    close: (index: number) => close(blockAt.get(index)),
    closeAll: () => {
      const remainingPieces: AnswerPiece[] = [];
      while (queue.first) for (const piece of close(queue.first)) remainingPieces.push(piece);
      return remainingPieces;
    },
    get bufferedSize() {
      return bufferedSize;
    },
  };
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

const closingPieces = ({ isCall, hasArguments, input }: Block): AnswerPiece[] =>
  isCall && !hasArguments ? [{ case: 'toolArguments', value: input }] : [];
