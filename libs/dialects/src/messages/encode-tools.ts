import type { Conversation, Tool } from '@witan/contracts';
import type { JsonObject } from '../json/lenient.ts';
import { encodeCacheControl, parseObjectAt } from './encode-content.ts';

/**
 * Encodes `tools` and `tool_choice`. Throws INVALID_REQUEST for a schema that is not an object.
 *
 * Providers refuse a request without tools if earlier messages have tool calls. In this case the
 * called tools are declared by name, and `tool_choice` is `none`.
 */
export const encodeTools = (conversation: Conversation): JsonObject => {
  const { tools } = conversation;
  if (tools.length > 0) {
    return { tools: tools.map(encodeTool), ...encodeToolChoice(conversation) };
  }
  const namesOfCalls = new Set(conversation.turns.flatMap(calledNames));
  if (namesOfCalls.size === 0) return encodeToolChoice(conversation);
  return {
    tools: [...namesOfCalls].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
};

const calledNames = ({ parts }: Conversation['turns'][number]): string[] =>
  parts.flatMap(({ part }) => (part.case === 'toolCall' ? [part.value.name] : []));

const encodeTool = (tool: Tool): JsonObject => ({
  name: tool.name,
  ...(tool.description === '' ? {} : { description: tool.description }),
  input_schema:
    tool.parameters === ''
      ? { type: 'object' }
      : { type: 'object', ...parseObjectAt(tool.parameters, 'tools[].function.parameters') },
  ...(tool.strict === undefined ? {} : { strict: tool.strict }),
  ...encodeCacheControl(tool.cacheControl),
});

const TYPES: Readonly<Record<string, string>> = { none: 'none', required: 'any', tool: 'tool' };

const encodeToolChoice = ({ toolChoice, tools }: Conversation): JsonObject => {
  if (!toolChoice) return {};
  const { mode, name, parallel } = toolChoice;
  const type = TYPES[mode] ?? 'auto';
  if (tools.length === 0 && (type === 'auto' || type === 'none')) return {};
  return {
    tool_choice: {
      type,
      ...(type === 'tool' ? { name } : {}),
      ...(parallel === undefined || type === 'none'
        ? {}
        : { disable_parallel_tool_use: !parallel }),
    },
  };
};
