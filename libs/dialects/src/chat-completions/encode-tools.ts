import { invalidRequest } from '@witan/contracts';
import type { Conversation, Tool } from '@witan/contracts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import type { JsonObject } from '../json/lenient.ts';
import { embedJson } from '../json/embed-json.ts';
import { asObject } from '../json/lenient.ts';
import { isOpenaiStrictSchema } from '../neutral/is-openai-strict-schema.ts';

export const encodeTools = (
  tools: readonly Tool[],
  dropped: DroppedFields,
): object[] | undefined => {
  if (tools.length === 0) return undefined;
  return tools.map((tool, index) => {
    const { name, description, cacheControl } = tool;
    if (cacheControl !== '') dropped.add('tools[].cache_control');
    const parameters = encodeParameters(tool, `tools[${index}].input_schema`);
    const strict = encodeStrict(tool, parameters, dropped);
    return {
      type: 'function',
      function: { name, description: description || undefined, parameters, strict },
    };
  });
};

/**
 * Parses the JSON Schema of a tool's parameters. Adds `properties` to an object schema without it,
 * because OpenAI refuses such a schema.
 */
const encodeParameters = ({ parameters }: Tool, path: string): unknown => {
  if (parameters === '') return undefined;
  const schema = embedJson(parameters, path);
  const object: JsonObject | undefined = asObject(schema);
  const lacksProperties = object?.type === 'object' && object.properties === undefined;
  return lacksProperties ? { ...object, properties: {} } : schema;
};

/**
 * Encodes `strict`. It is dropped, and reported as dropped, for a schema that OpenAI does not
 * accept as strict but another provider would enforce.
 */
const encodeStrict = (
  { strict }: Tool,
  parameters: unknown,
  dropped: DroppedFields,
): boolean | undefined => {
  if (strict !== true || isOpenaiStrictSchema(parameters)) return strict;
  dropped.add('tools[].strict');
  return undefined;
};

/**
 * Encodes `tool_choice` and `parallel_tool_calls`. Both are omitted for a request without tools,
 * because OpenAI refuses them there.
 */
export const encodeToolChoice = (
  { toolChoice, tools }: Pick<Conversation, 'toolChoice' | 'tools'>,
  dropped: DroppedFields,
): object => {
  if (!toolChoice) return {};
  const { mode, name, parallel } = toolChoice;
  if (tools.length > 0) {
    const chosen = mode === 'tool' ? { type: 'function', function: { name } } : mode;
    return { tool_choice: chosen, parallel_tool_calls: parallel };
  }
  if (mode === 'required' || mode === 'tool') {
    const message =
      'tool_choice: there is no tool to call. Declare it in `tools`, or leave it out.';
    throw invalidRequest(message, { param: 'tool_choice' });
  }
  dropped.add('tool_choice');
  return {};
};
