import type { AnswerHead, AnswerPiece, StreamEncoder } from '../dialect.ts';
import { encodeUsage, toAnswerId, toFinishReason } from './encode-response.ts';

/**
 * Creates an encoder of a stream for a client: the first chunk has the role, one chunk has the
 * finish reason, a last chunk without choices has the usage if the client requested it, then
 * `[DONE]` follows. Signatures of reasoning are omitted, because the dialect has no member for
 * them.
 */
export const createStreamEncoder = (head: AnswerHead): StreamEncoder => {
  // Chunks differ only in their delta, so the JSON text before it is created once.
  const opening = `data: ${JSON.stringify(toChunkHead(head)).slice(0, -1)},"choices":[`;
  const write = (delta: Delta, finish: string | null): string =>
    `${opening}{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,` +
    `"finish_reason":${JSON.stringify(finish)}}]}\n\n`;

  let calls = 0;
  return {
    open: () => write({ role: 'assistant', content: '' }, null),
    piece: (piece) => {
      if (piece.case === 'toolCall') calls += 1;
      const delta = toDelta(piece, calls - 1);
      return delta ? write(delta, null) : '';
    },
    end: ({ finishReason, usage }) => {
      const last = write({}, toFinishReason(finishReason));
      const counts = head.wantsUsage
        ? `${opening}],"usage":${JSON.stringify(encodeUsage(usage))}}\n\n`
        : '';
      return `${last}${counts}data: [DONE]\n\n`;
    },
  };
};

/** Returns the members of every chunk before its choices. */
export const toChunkHead = (head: AnswerHead) => ({
  id: toAnswerId(head),
  object: 'chat.completion.chunk' as const,
  created: head.created,
  model: head.model,
});

export type Delta = {
  role?: 'assistant';
  content?: string;
  refusal?: string;
  reasoning_content?: string;
  tool_calls?: {
    index: number;
    id?: string;
    type?: 'function';
    function: { name?: string; arguments: string };
  }[];
};

const toDelta = (piece: AnswerPiece, index: number): Delta | undefined => {
  switch (piece.case) {
    case 'text':
      return { content: piece.value };
    case 'refusal':
      return { refusal: piece.value };
    case 'reasoning':
      return { reasoning_content: piece.value };
    case 'toolCall': {
      const { id = '', name = '' } = piece.value;
      const calledFunction = { name, arguments: '' };
      return { tool_calls: [{ index, id, type: 'function', function: calledFunction }] };
    }
    case 'toolArguments':
      return index < 0
        ? undefined
        : { tool_calls: [{ index, function: { arguments: piece.value } }] };
    default:
      return undefined;
  }
};
