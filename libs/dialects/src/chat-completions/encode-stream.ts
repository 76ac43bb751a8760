import type { AnswerHead, AnswerPiece, StreamEncoder } from '../dialect.ts';
import { encodeUsage, toAnswerId, toFinishReason } from './encode-response.ts';

/**
 * Creates an encoder of a client's stream: the role in the first chunk, one finish reason, usage in
 * a last chunk without choices if requested, then `[DONE]`. The dialect has no member for the
 * signature of reasoning.
 */
export const createStreamEncoder = (head: AnswerHead): StreamEncoder => {
  // The opening is serialized once, because only the delta differs between chunks.
  const opening = `data: ${JSON.stringify({
    id: toAnswerId(head),
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
  }).slice(0, -1)},"choices":[`;
  const write = (delta: object, finish: string | null): string =>
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

const toDelta = (piece: AnswerPiece, index: number): object | undefined => {
  switch (piece.case) {
    case 'text':
      return { content: piece.value };
    case 'refusal':
      return { refusal: piece.value };
    case 'reasoning':
      return { reasoning_content: piece.value };
    case 'toolCall': {
      const { id = '', name = '' } = piece.value;
      const called = { name, arguments: '' };
      return { tool_calls: [{ index, id, type: 'function', function: called }] };
    }
    case 'toolArguments':
      return index < 0
        ? undefined
        : { tool_calls: [{ index, function: { arguments: piece.value } }] };
    default:
      return undefined;
  }
};
