import type { AnswerHead, AnswerPiece, StreamEncoder } from '../dialect.ts';
import { encodeStop, encodeUsage, messageId } from './encode-response.ts';
import type { Block } from './encode-response.ts';

/**
 * Creates an encoder of a stream for a client. Every frame has an `event:` line equal to its type,
 * blocks are sent one after another with consecutive indexes, and a tool call starts with the input
 * {}, to which deltas add the arguments.
 */
export const createStreamEncoder = (head: AnswerHead): StreamEncoder => {
  const blocks = createBlockWriter();
  let hasCalls = false;
  return {
    open: () => frame({ type: 'message_start', message: openingMessage(head) }),
    piece: (piece) => {
      hasCalls ||= piece.case === 'toolCall';
      return piece.value === '' ? '' : encodePiece(piece, blocks);
    },
    end: (tail) =>
      blocks.close() +
      frame({
        type: 'message_delta',
        delta: encodeStop(tail, { hasCalls }),
        usage: encodeUsage(tail.usage),
      }) +
      frame({ type: 'message_stop' }),
  };
};

const encodePiece = (piece: AnswerPiece, blocks: BlockWriter): string => {
  switch (piece.case) {
    case 'text':
    case 'refusal':
      return (
        blocks.ensureOpen('text', EMPTY_TEXT) +
        blocks.append({ type: 'text_delta', text: piece.value })
      );
    case 'toolCall': {
      const { id = '', name = '' } = piece.value;
      return blocks.start('call', { type: 'tool_use', id, name, input: {} });
    }
    case 'toolArguments':
      if (blocks.kind !== 'call') return '';
      return blocks.append({ type: 'input_json_delta', partial_json: piece.value });
    case 'reasoning':
      return (
        blocks.ensureOpen('thinking', EMPTY_THINKING) +
        blocks.append({ type: 'thinking_delta', thinking: piece.value })
      );
    case 'reasoningSignature':
      return blocks.addSignature(piece.value);
    case 'redactedReasoning':
      return (
        blocks.start('signed', { type: 'redacted_thinking', data: piece.value }) + blocks.close()
      );
  }
};

/**
 * Kind of the block that is open. A thinking block becomes `signed` once its signature was sent.
 */
type Kind = 'text' | 'thinking' | 'signed' | 'call';
type BlockWriter = ReturnType<typeof createBlockWriter>;

export type BlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string };

const createBlockWriter = () => {
  let index = 0;
  let kind: Kind | undefined;
  let hasDeltas = false;

  const append = (delta: BlockDelta): string => {
    hasDeltas = true;
    return frame({ type: 'content_block_delta', index, delta });
  };

  const close = (): string => {
    if (kind === undefined) return '';
    // Clients parse the concatenated deltas, and an empty text would fail, so a call without
    // arguments gets `{}`.
    const hasNoArguments = kind === 'call' && !hasDeltas;
    const emptyInput = hasNoArguments
      ? append({ type: 'input_json_delta', partial_json: '{}' })
      : '';
    kind = undefined;
    const frames = emptyInput + frame({ type: 'content_block_stop', index });
    index += 1;
    return frames;
  };

  const start = (next: Kind, block: Block): string => {
    const closingFrames = close();
    kind = next;
    hasDeltas = false;
    return closingFrames + frame({ type: 'content_block_start', index, content_block: block });
  };

  const ensureOpen = (wantedKind: Kind, block: Block): string =>
    kind === wantedKind ? '' : start(wantedKind, block);

  return {
    get kind() {
      return kind;
    },
    start,
    ensureOpen,
    append,
    close,
    addSignature: (signature: string): string => {
      const opening = kind === 'signed' ? '' : ensureOpen('thinking', EMPTY_THINKING);
      kind = 'signed';
      return opening + append({ type: 'signature_delta', signature });
    },
  };
};

const EMPTY_TEXT: Block = { type: 'text', text: '' };
const EMPTY_THINKING: Block = { type: 'thinking', thinking: '', signature: '' };

/**
 * Returns the message in the `message_start` event. Its output tokens are zero, because one client
 * adds them to the final count.
 */
export const openingMessage = (head: AnswerHead) => ({
  id: messageId(head),
  type: 'message' as const,
  role: 'assistant' as const,
  model: head.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: head.promptTokensEstimate, output_tokens: 0 },
});

const frame = (event: { type: string; [member: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
