import type { JsonObject } from '@witan/dialects';

/**
 * What the user of a wire dialect said last, in either of them: the text of the last user message
 * that has any, because results of tools come as the user's too. Empty when there is none.
 */
export const readQuestion = ({ messages }: JsonObject): string => {
  const texts = Array.isArray(messages) ? messages.filter(isUser).map(textOf) : [];
  return toQuery(texts.findLast((text) => text.trim() !== '') ?? '');
};

/** UTF-16 units of a question: a message may have 32 MiB, of which nobody looks up every word. */
const QUERY_LENGTH_MAX = 32_000;

/** Of what is longer its two ends: a question stands before what it is about, or behind it. */
const toQuery = (text: string): string => {
  if (text.length <= QUERY_LENGTH_MAX) return text;
  const half = QUERY_LENGTH_MAX / 2;
  return `${text.slice(0, half)} ${text.slice(-half)}`.toWellFormed();
};

const isUser = (message: unknown): message is JsonObject =>
  isObject(message) && message.role === 'user';

const textOf = ({ content }: JsonObject): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part: unknown) => (isText(part) ? [part.text] : [])).join('\n');
};

const isText = (part: unknown): part is { text: string } =>
  isObject(part) && part.type === 'text' && typeof part.text === 'string';

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
