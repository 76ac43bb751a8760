import type { Frame } from '../dialect.ts';
import { asObject, asText, parseObject } from '../json/json-value.ts';
import type { JsonObject, ParseObject } from '../json/json-value.ts';

/**
 * Returns the kind of a stream's frame and never throws. The terminal event is `response.completed`
 * or `response.incomplete`; `[DONE]` without it is `cut`, because the answer is then not complete.
 * Events of an unknown type are `lifecycle`, and unknown deltas are `content`.
 */
export const readFrame = (data: string | undefined, parse: ParseObject = parseObject): Frame => {
  if (data === undefined) return { kind: 'lifecycle' };
  if (data.trim() === '[DONE]') return { kind: 'cut' };
  const value = parse(data);
  return value ? { kind: kindOf(value), value } : { kind: 'content' };
};

const kindOf = (event: JsonObject): Frame['kind'] => {
  const type = asText(event.type);
  switch (type) {
    case 'response.completed':
    case 'response.incomplete':
      return 'done';
    case 'response.failed':
    case 'response.cancelled':
    case 'error':
      return 'error';
    case 'response.output_item.added':
    case 'response.output_item.done':
      return isSilentItem(asObject(event.item)) ? 'lifecycle' : 'content';
    case '':
      return event.error ? 'error' : 'lifecycle';
    default:
      return hasText(event) ? 'content' : 'lifecycle';
  }
};

/** Returns whether an item has no part of the answer yet: a message or reasoning without text. */
const isSilentItem = (item: JsonObject | undefined): boolean => {
  if (!item) return true;
  if (item.type !== 'message' && item.type !== 'reasoning') return false;
  const { content, summary, encrypted_content: encrypted } = item;
  return [content, summary, encrypted].every(
    (value) => !value || (Array.isArray(value) && value.length === 0),
  );
};

const hasText = ({ delta, text, refusal, arguments: args, input }: JsonObject): boolean =>
  [delta, text, refusal, args, input].some((value) => typeof value === 'string' && value !== '');

/**
 * Returns no hole: the frames of this dialect differ in their number, too, so that none can be
 * parsed as a copy of an earlier one.
 */
export const findTextHole = (): undefined => undefined;
