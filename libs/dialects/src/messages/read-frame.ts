import type { Frame } from '../dialect.ts';
import type { Hole } from '../json/create-template-parser.ts';
import { asObject, parseObject } from '../json/json-value.ts';
import type { JsonObject, ParseObject } from '../json/json-value.ts';

/**
 * Returns the kind of a stream's frame. It is never `usage`, because events with token counts
 * contain other data as well. Data that is neither an object nor `[DONE]` counts as `content`.
 */
export const readFrame = (data: string | undefined, parse: ParseObject = parseObject): Frame => {
  if (data === undefined) return { kind: 'lifecycle' };
  const value = parse(data);
  if (value) return { kind: kindOf(value), value };
  return { kind: data.trim() === '[DONE]' ? 'done' : 'content' };
};

const kindOf = (event: JsonObject): Frame['kind'] => {
  switch (event.type) {
    case 'content_block_delta':
      return hasContent(asObject(event.delta)) ? 'content' : 'lifecycle';
    case 'content_block_start':
      return hasContent(asObject(event.content_block)) ? 'content' : 'lifecycle';
    case 'message_delta':
      return 'content';
    case 'message_stop':
      return 'done';
    case 'error':
      return 'error';
    case undefined:
      return event.error ? 'error' : 'lifecycle';
    default:
      return 'lifecycle';
  }
};

const CONTENT_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['thinking', ['thinking', 'signature']],
  ['text_delta', ['text']],
  ['thinking_delta', ['thinking']],
  ['signature_delta', ['signature']],
  ['input_json_delta', ['partial_json']],
]);

const hasContent = (piece: JsonObject | undefined): boolean => {
  if (!piece) return false;
  const names = CONTENT_FIELDS.get(piece.type);
  return names === undefined || names.some((name) => Boolean(piece[name]));
};

export const findTextHole = (event: JsonObject): Hole | undefined => {
  if (event.type !== 'content_block_delta') return undefined;
  const delta = asObject(event.delta);
  const key = delta?.type === 'text_delta' ? 'text' : 'thinking';
  return typeof delta?.[key] === 'string' ? { object: delta, key } : undefined;
};
