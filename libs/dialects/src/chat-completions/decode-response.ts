import type { AnswerPiece, DecodedResponse } from '../dialect.ts';
import { asList, asNumber, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/**
 * Decodes the choice with index 0 of a complete answer and never throws, whatever the body
 * contains. The result names no stop sequence, because this dialect does not report which one ended
 * an answer.
 */
export const decodeResponse = (body: JsonObject): DecodedResponse => ({
  pieces: toPieces(asObject(findChoice(body)?.message) ?? {}),
  stopSequence: '',
});

const toPieces = (message: JsonObject): AnswerPiece[] => {
  const pieces = toTextPieces(message);
  asList(message.tool_calls).forEach((item, index) => {
    const call = asObject(item);
    const calledFunction = asObject(call?.function);
    if (!call || !calledFunction) return;
    const id = asText(call.id) || defaultCallId(index);
    pieces.push({ case: 'toolCall', value: { id, name: asText(calledFunction.name) } });
    const argumentsText = toArguments(calledFunction.arguments);
    if (argumentsText !== '') pieces.push({ case: 'toolArguments', value: argumentsText });
  });
  return pieces;
};

export const findChoice = (body: JsonObject): JsonObject | undefined =>
  asList(body.choices)
    .map(asObject)
    .find((choice, index) => choice && (asNumber(choice.index) ?? index) === 0);

export const toTextPieces = (source: JsonObject): AnswerPiece[] => {
  const pieces: AnswerPiece[] = [
    { case: 'reasoning', value: asText(source.reasoning_content) || asText(source.reasoning) },
    { case: 'text', value: toText(source.content) },
    { case: 'refusal', value: asText(source.refusal) },
  ];
  return pieces.filter(({ value }) => value !== '');
};

const toText = (content: unknown): string => {
  if (typeof content === 'string') return content;
  return asList(content)
    .map(asObject)
    .map((part) => (part?.type === 'text' ? asText(part.text) : ''))
    .join('');
};

/** Returns a tool call's arguments as JSON text. Some local runtimes send them as an object. */
export const toArguments = (value: unknown): string => {
  const object = asObject(value);
  return object ? JSON.stringify(object) : asText(value);
};

export const defaultCallId = (index: number): string => `call_${index}`;
