import type { AnswerPiece, DecodedResponse } from '../dialect.ts';
import { asList, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/**
 * Decodes a complete message and never throws, whatever the body contains. Blocks of other types,
 * such as those of tools that the provider ran, are omitted.
 */
export const decodeResponse = (body: JsonObject): DecodedResponse => ({
  pieces: messagePieces(body),
  stopSequence: asText(body.stop_sequence),
});

export const messagePieces = ({ content }: JsonObject): AnswerPiece[] =>
  asList(content).flatMap((item) => {
    const block = asObject(item);
    if (!block) return [];
    const pieces = openingPieces(block);
    if (block.type === 'tool_use') pieces.push({ case: 'toolArguments', value: inputText(block) });
    return pieces;
  });

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

type TextCase = Exclude<AnswerPiece['case'], 'toolCall'>;

export const textPieces = (kind: TextCase, value: unknown): AnswerPiece[] => {
  const text = asText(value);
  return text === '' ? [] : [{ case: kind, value: text }];
};

export const inputText = ({ input }: JsonObject): string => {
  if (typeof input === 'string') return input;
  return input === undefined || input === null ? '{}' : JSON.stringify(input);
};
