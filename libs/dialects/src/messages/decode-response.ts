import type { AnswerPiece, DecodedResponse, JsonObject } from '../dialect.ts';
import { asList, asObject, asText } from '../json/lenient.ts';

/**
 * A provider's whole message in pieces. Blocks that this gateway does not know, and those of tools
 * that the provider ran itself, are no words of the model and make no piece; total.
 */
export const decodeResponse = (body: JsonObject): DecodedResponse => ({
  pieces: messagePieces(body),
  stopSequence: asText(body.stop_sequence),
});

/** The pieces of all blocks of a message. */
export const messagePieces = ({ content }: JsonObject): AnswerPiece[] =>
  asList(content).flatMap((item) => {
    const block = asObject(item);
    if (!block) return [];
    const pieces = openingPieces(block);
    if (block.type === 'tool_use') pieces.push({ case: 'toolArguments', value: inputText(block) });
    return pieces;
  });

/** What a block says when it opens; the arguments of a call come later. */
export const openingPieces = (block: JsonObject): AnswerPiece[] => {
  switch (block.type) {
    case 'text':
      return textPieces('text', block.text);
    case 'thinking':
      return [
        ...textPieces('reasoning', block.thinking),
        ...textPieces('reasoningSignature', block.signature),
      ];
    case 'redacted_thinking':
      return textPieces('redactedReasoning', block.data);
    case 'tool_use':
      return [{ case: 'toolCall', value: { id: asText(block.id), name: asText(block.name) } }];
    default:
      return [];
  }
};

type WordCase = Exclude<AnswerPiece['case'], 'toolCall'>;

/** The piece of a text; an empty one says nothing. */
export const textPieces = (kind: WordCase, value: unknown): AnswerPiece[] => {
  const text = asText(value);
  return text === '' ? [] : [{ case: kind, value: text }];
};

/** JSON text of a call's whole input; what is no object may be text already. */
export const inputText = ({ input }: JsonObject): string => {
  if (typeof input === 'string') return input;
  return input === undefined || input === null ? '{}' : JSON.stringify(input);
};
