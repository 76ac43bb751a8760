import type { Conversation, Tool, ToolChoice } from '@witan/contracts';
import type { JsonObject } from '../json/json-value.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { toEnforcedSchema } from './encode-format.ts';
import { encodeCacheControl, parseObjectAt } from './encode-turns.ts';

/**
 * Encodes `tools` and `tool_choice`. Throws INVALID_REQUEST for a schema that is not an object.
 *
 * Providers refuse a request without tools if earlier messages have tool calls. In this case the
 * called tools are declared by name, and `tool_choice` is `none`.
 */
export const encodeTools = (
  { tools, toolChoice, turns }: Conversation,
  dropped: DroppedFields,
): JsonObject => {
  if (tools.length > 0) {
    return {
      tools: tools.map((tool) => encodeTool(tool, dropped)),
      tool_choice: toolChoice && encodeToolChoice(toolChoice, dropped),
    };
  }
  const namesOfCalls = new Set(turns.flatMap(calledNames));
  const isForced = toolChoice?.mode === 'required' || toolChoice?.mode === 'tool';
  if (isForced && namesOfCalls.size === 0) {
    return { tool_choice: encodeToolChoice(toolChoice, dropped) };
  }
  const isUnsent = toolChoice?.mode === 'none' && namesOfCalls.size === 0;
  if (isForced || isUnsent) dropped.add('tool_choice');
  if (toolChoice?.parallel !== undefined) dropped.add('parallel_tool_calls');
  if (namesOfCalls.size === 0) return {};
  return {
    tools: [...namesOfCalls].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
};

const calledNames = ({ parts }: Conversation['turns'][number]): string[] =>
  parts.flatMap(({ part }) => (part.case === 'toolCall' ? [part.value.name] : []));

const PARAMETERS = 'tools[].function.parameters';

/**
 * Encodes a tool. `strict` is dropped, and reported as dropped, for a schema with objects that
 * cannot be closed. A tool without a schema takes no arguments.
 */
const encodeTool = (tool: Tool, dropped: DroppedFields): JsonObject => {
  const { name, description, parameters, strict, cacheControl } = tool;
  const schema = {
    type: 'object',
    ...(parameters === ''
      ? strict && { additionalProperties: false }
      : parseObjectAt(parameters, PARAMETERS)),
  };
  const enforcedSchema = strict ? toEnforcedSchema(schema, { path: PARAMETERS, dropped }) : schema;
  if (!enforcedSchema) dropped.add('tools[].function.strict');
  return {
    name,
    description: description || undefined,
    input_schema: enforcedSchema ?? schema,
    strict: enforcedSchema && strict,
    cache_control: encodeCacheControl(cacheControl),
  };
};

const TYPES: Readonly<Record<string, string>> = { none: 'none', required: 'any', tool: 'tool' };

const encodeToolChoice = (
  { mode, name, parallel }: ToolChoice,
  dropped: DroppedFields,
): JsonObject => {
  const type = TYPES[mode] ?? 'auto';
  if (type === 'none') {
    if (parallel !== undefined) dropped.add('parallel_tool_calls');
    return { type };
  }
  return {
    type,
    name: type === 'tool' ? name : undefined,
    disable_parallel_tool_use: parallel === undefined ? undefined : !parallel,
  };
};
