import { invalidRequest } from '@witan/contracts';
import type { Conversation, ResponseFormat, Tool } from '@witan/contracts';
import { encodeSchema } from '../chat-completions/encode-request.ts';
import { asObject } from '../json/json-value.ts';
import { embedJson } from '../json/parse-exactly.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { isOpenaiStrictSchema, SCHEMA_NAME } from '../neutral/is-openai-strict-schema.ts';

const NO_PARAMETERS = { type: 'object', properties: {} };

/**
 * Encodes the tools. `strict` is always sent, because its default in this dialect is true; a strict
 * tool whose schema OpenAI does not accept as strict is sent as not strict, and reported.
 */
export const encodeTools = (
  tools: readonly Tool[],
  dropped: DroppedFields,
): object[] | undefined => {
  if (tools.length === 0) return undefined;
  return tools.map(({ name, description, parameters: json, strict, cacheControl }, index) => {
    if (cacheControl !== '') dropped.add('tools[].cache_control');
    const schema = json === '' ? NO_PARAMETERS : embedJson(json, `tools[${index}].input_schema`);
    const isStrict = strict === true && isOpenaiStrictSchema(schema);
    if (strict === true && !isStrict) dropped.add('tools[].strict');
    return {
      type: 'function',
      name,
      description: description || undefined,
      parameters: { ...NO_PARAMETERS, ...asObject(schema) },
      strict: isStrict,
    };
  });
};

/**
 * Encodes `tool_choice` and `parallel_tool_calls`. Both are omitted for a request without tools.
 * Throws INVALID_REQUEST if such a request requires a tool call.
 */
export const encodeToolChoice = (
  { toolChoice, tools }: Pick<Conversation, 'toolChoice' | 'tools'>,
  dropped: DroppedFields,
): object => {
  if (!toolChoice) return {};
  const { mode, name, parallel } = toolChoice;
  if (tools.length > 0) {
    const chosen = mode === 'tool' ? { type: 'function', name } : mode;
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

export const encodeFormat = (
  format: ResponseFormat | undefined,
  model: string,
): object | undefined => {
  if (!format) return undefined;
  if (format.kind !== 'json_schema') return { format: { type: format.kind } };
  return {
    format: {
      type: 'json_schema',
      name: format.name || SCHEMA_NAME,
      description: format.description || undefined,
      schema: format.schema === '' ? {} : encodeSchema(format, model),
      strict: format.strict,
    },
  };
};
