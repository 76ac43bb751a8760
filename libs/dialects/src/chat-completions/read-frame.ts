import type { Frame } from '../dialect.ts';
import type { Hole } from '../json/create-template-parser.ts';
import { asList, asObject, parseObject } from '../json/json-value.ts';
import type { JsonObject, ParseObject } from '../json/json-value.ts';

/**
 * Returns the kind of a stream's frame and never throws. Data that is no JSON object counts as
 * content, so that it is forwarded to the client.
 */
export const readFrame = (data: string | undefined, parse: ParseObject = parseObject): Frame => {
  if (data === undefined) return { kind: 'lifecycle' };
  if (data.trim() === '[DONE]') return { kind: 'done' };
  const value = parse(data);
  return value ? { kind: kindOf(value), value } : { kind: 'content' };
};

const kindOf = (chunk: JsonObject): Frame['kind'] => {
  if (chunk.error !== undefined && chunk.error !== null) return 'error';
  const choices = asList(chunk.choices);
  if (choices.length === 0) return chunk.usage ? 'usage' : 'lifecycle';
  return choices.some(hasContent) ? 'content' : 'lifecycle';
};

const hasContent = (item: unknown): boolean => {
  const choice = asObject(item);
  if (!choice) return false;
  if (choice.finish_reason !== undefined && choice.finish_reason !== null) return true;
  const delta = asObject(choice.delta);
  if (!delta) return false;
  for (const key in delta) if (key !== 'role' && !isEmpty(delta[key])) return true;
  return false;
};

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

export const findTextHole = (chunk: JsonObject): Hole | undefined => {
  const choices = asList(chunk.choices);
  const delta = choices.length === 1 ? asObject(asObject(choices[0])?.delta) : undefined;
  return typeof delta?.content === 'string' ? { object: delta, key: 'content' } : undefined;
};
