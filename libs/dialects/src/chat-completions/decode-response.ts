import type { AnswerPiece, DecodedResponse, JsonObject } from '../dialect.ts';
import { asList, asNumber, asObject, asText } from '../json/lenient.ts';

/**
 * A provider's whole answer in pieces, of its first choice only. Total. The dialect does not say
 * which stop sequence ended an answer.
 */
export const decodeResponse = (body: JsonObject): DecodedResponse => ({
  pieces: toPieces(asObject(findChoice(body)?.message) ?? {}),
  stopSequence: '',
});

const toPieces = (message: JsonObject): AnswerPiece[] => {
  const pieces = toTextPieces(message);
  asList(message.tool_calls).forEach((item, index) => {
    const call = asObject(item);
    const called = asObject(call?.function);
    if (!call || !called) return;
    const id = asText(call.id) || toCallId(index);
    pieces.push({ case: 'toolCall', value: { id, name: asText(called.name) } });
    const given = toArguments(called.arguments);
    if (given !== '') pieces.push({ case: 'toolArguments', value: given });
  });
  return pieces;
};

/** The choice with index 0; runtimes that number none put it first. */
export const findChoice = (body: JsonObject): JsonObject | undefined =>
  asList(body.choices)
    .map(asObject)
    .find((choice, index) => choice && (asNumber(choice.index) ?? index) === 0);

/** What a message or a delta says beside its tool calls; reasoning has two names in the wild. */
export const toTextPieces = (source: JsonObject): AnswerPiece[] => {
  const pieces: AnswerPiece[] = [
    { case: 'reasoning', value: asText(source.reasoning_content) || asText(source.reasoning) },
    { case: 'text', value: toText(source.content) },
    { case: 'refusal', value: asText(source.refusal) },
  ];
  return pieces.filter(({ value }) => value !== '');
};

/** Content is a text, or a list of parts of which those of type `text` are delivered text. */
const toText = (content: unknown): string => {
  if (typeof content === 'string') return content;
  return asList(content)
    .map(asObject)
    .map((part) => (part?.type === 'text' ? asText(part.text) : ''))
    .join('');
};

/** Arguments are a text; some local runtimes send the object itself. */
export const toArguments = (value: unknown): string => {
  const object = asObject(value);
  return object ? JSON.stringify(object) : asText(value);
};

/** The id of a call that its provider gave none: results could not be matched without. */
export const toCallId = (index: number): string => `call_${index}`;
