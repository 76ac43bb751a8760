import { parseObject } from '@witan/dialects';
import type { JsonObject, OfferedTool, ToolCall } from '@witan/dialects';

/** Maximum length of an answer that is searched for tool calls, in UTF-16 units. */
export const TEXT_CALLS_LENGTH_MAX = 8_000;

const TAG = /<\/?(?:tools?|tool_calls?|function_calls?)>/gi;
const FENCE = /```\w*/g;
const BEGINNING = /^\s*(?:<(?:tool|function)|```|[{[])/i;

/** Returns whether a text begins like tool calls that a model wrote as text. */
export const mayBeTextCalls = (text: string): boolean =>
  text.length <= TEXT_CALLS_LENGTH_MAX && BEGINNING.test(text);

/**
 * Returns the tool calls of an answer that consists of nothing else, because small models write
 * calls as text. The list is empty if the answer repeats definitions of tools or calls tools that
 * were not offered. Returns undefined for any other answer.
 */
export const readTextCalls = (
  text: string,
  tools: readonly Pick<OfferedTool, 'name'>[],
): ToolCall[] | undefined => {
  if (!mayBeTextCalls(text)) return undefined;
  const objects = splitObjects(text.replaceAll(FENCE, '').replaceAll(TAG, '\n'));
  const requests = objects?.map(toRequest);
  if (!requests || requests.length === 0 || requests.includes(undefined)) return undefined;
  return requests.flatMap((request) => {
    const { name, args } = request!;
    const isOffered = tools.some((tool) => tool.name === name);
    return args && isOffered ? [{ id: '', name, arguments: args }] : [];
  });
};

/** Returns the objects of a text that is one of them, a list of them, or has one in each line. */
const splitObjects = (text: string): JsonObject[] | undefined => {
  const trimmed = text.trim();
  const whole = parseObject(trimmed) ?? parseObject(`{"list":${trimmed}}`)?.['list'];
  const parts = Array.isArray(whole)
    ? (whole as unknown[])
    : whole
      ? [whole]
      : trimmed.split(/\n\s*(?=\{)/).map((part) => parseObject(part));
  const isObject = (part: unknown): boolean => typeof part === 'object' && part !== null;
  return parts.every(isObject) ? (parts as JsonObject[]) : undefined;
};

const MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'id', 'name', 'function', 'description', 'arguments', 'parameters', 'strict'],
]);

/** Returns the name in a call or definition, and the arguments if it is a call. */
const toRequest = (object: JsonObject): { name: string; args?: string } | undefined => {
  const nested = object['function'];
  const inner = typeof nested === 'object' && nested !== null ? (nested as JsonObject) : object;
  const name = typeof nested === 'string' ? nested : inner['name'];
  const hasArguments = 'arguments' in inner || 'parameters' in inner;
  const isKnown = [...Object.keys(object), ...Object.keys(inner)].every((key) => MEMBERS.has(key));
  if (typeof name !== 'string' || !hasArguments || !isKnown) return undefined;
  const { arguments: args = inner['parameters'] } = inner;
  if (typeof args === 'string') return { name, args };
  const isSchema = 'properties' in Object(args);
  return isSchema ? { name } : { name, args: JSON.stringify(args) };
};
