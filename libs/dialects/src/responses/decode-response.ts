import type { AnswerPiece, DecodedResponse } from '../dialect.ts';
import { asList, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { toResponsesSignature } from '../neutral/provider-signature.ts';

/**
 * Decodes a complete response and never throws, whatever the body contains. Items of other types,
 * such as those of tools that the provider ran, are omitted. The dialect has no stop sequences.
 */
export const decodeResponse = (body: JsonObject): DecodedResponse => ({
  pieces: asList(body.output).flatMap((item) => itemPieces(asObject(item) ?? {})),
  stopSequence: '',
});

const itemPieces = (item: JsonObject): AnswerPiece[] => [
  ...openingPieces(item),
  ...contentsOf(item).map(({ piece }) => piece),
  ...closingPieces(item),
];

/** Returns the piece that begins an item: its name and id, if it is a call. */
export const openingPieces = (item: JsonObject): AnswerPiece[] =>
  item.type === 'function_call'
    ? [{ case: 'toolCall', value: { id: asText(item.call_id), name: asText(item.name) } }]
    : [];

/** Returns the piece that ends an item: the provider's signature, if it is reasoning. */
export const closingPieces = (item: JsonObject): AnswerPiece[] => {
  const encrypted = item.type === 'reasoning' ? asText(item.encrypted_content) : '';
  return encrypted === ''
    ? []
    : [{ case: 'reasoningSignature', value: toResponsesSignature(asText(item.id), encrypted) }];
};

/** A text of an item, by the member and index in which events name it. */
export type ItemContent = { key: string; piece: Extract<AnswerPiece, { value: string }> };

/** Returns the texts of an item that are not empty, in order. */
export const contentsOf = (item: JsonObject): ItemContent[] => {
  switch (item.type) {
    case 'message':
      return asList(item.content).flatMap((value, index) => messageContent(value, index));
    case 'function_call':
      return toContent('toolArguments', 'arguments', item.arguments);
    case 'reasoning':
      return reasoningContents(item);
    default:
      return [];
  }
};

const messageContent = (value: unknown, index: number): ItemContent[] => {
  const part = asObject(value);
  if (part?.type === 'refusal') return toContent('refusal', `content ${index}`, part.refusal);
  return part?.type === 'output_text' ? toContent('text', `content ${index}`, part.text) : [];
};

/** Returns the summaries of reasoning, or else its own text; a client needs only one of them. */
const reasoningContents = ({ summary, content }: JsonObject): ItemContent[] => {
  const [name, parts] =
    asList(summary).length > 0 ? ['summary', asList(summary)] : ['content', asList(content)];
  return parts.flatMap((part, index) =>
    toContent('reasoning', `${name} ${index}`, paragraph(index) + asText(asObject(part)?.text)),
  );
};

/** Returns what separates the parts of reasoning, which become one text. */
export const paragraph = (index: number): string => (index > 0 ? '\n\n' : '');

export const reasoningText = (item: JsonObject): string =>
  reasoningContents(item)
    .map(({ piece }) => piece.value)
    .join('');

const toContent = (
  kind: ItemContent['piece']['case'],
  key: string,
  value: unknown,
): ItemContent[] => {
  const text = asText(value);
  return text === '' ? [] : [{ key, piece: { case: kind, value: text } }];
};
