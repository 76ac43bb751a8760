import { toInputArguments } from '@witan/proof';
import type { AnswerChoice, AnswerToolCall } from '@witan/proof';
import type { AnswerPiece, EndpointName } from '../dialect.ts';

/** Collects the part of a neutral answer that its certificate commits to. */
export type NeutralAnswerCollector = {
  take: (pieces: readonly AnswerPiece[]) => void;
  choices: () => AnswerChoice[];
  /** Number of UTF-16 units in memory, for a memory limit. */
  readonly length: number;
};

/**
 * Creates a collector of a neutral answer. Tool arguments are collected as the client receives
 * them: as the model wrote them, or, if the client uses the messages dialect, as canonical JSON if
 * they can be parsed; in the responses dialect, too, a call without arguments has `{}`.
 */
export const createNeutralAnswerCollector = (
  client: EndpointName | 'neutral',
): NeutralAnswerCollector => {
  let text = '';
  let refusal = '';
  let length = 0;
  let hasPieces = false;
  const calls: AnswerToolCall[] = [];
  const toSent = SENT_ARGUMENTS[client];
  const takePiece = (piece: AnswerPiece): void => {
    hasPieces = true;
    if (piece.case === 'text') text += piece.value;
    else if (piece.case === 'refusal') {
      // In the messages dialect the client receives a refusal as ordinary text.
      if (client === 'messages') text += piece.value;
      else refusal += piece.value;
    } else if (piece.case === 'toolArguments') calls.at(-1)!.arguments += piece.value;
    else if (piece.case === 'toolCall') {
      const { id = '', name = '' } = piece.value;
      calls.push({ id, name, arguments: '' });
      length += id.length + name.length;
    }
    if (typeof piece.value === 'string') length += piece.value.length;
  };
  return {
    take: (pieces) => pieces.forEach(takePiece),
    choices: () => {
      if (!hasPieces) return [];
      const content = text + refusal;
      const toolCalls = calls.map((call) => ({ ...call, arguments: toSent(call.arguments) }));
      return [{ index: 0, content: content === '' ? null : content, toolCalls }];
    },
    get length() {
      return length;
    },
  };
};

const SENT_ARGUMENTS: Readonly<Record<EndpointName | 'neutral', (text: string) => string>> = {
  'chat-completions': (text) => text,
  embeddings: (text) => text,
  messages: toInputArguments,
  neutral: (text) => text,
  responses: (text) => text || '{}',
};
