import { create } from '@bufbuild/protobuf';
import {
  ConversationSchema,
  ResponseFormatSchema,
  SamplingSchema,
  invalidRequest,
} from '@witan/contracts';
import type { ResponseFormat, Sampling } from '@witan/contracts';
import type { Decoded } from '../dialect.ts';
import {
  expectNumber,
  expectOptionalText,
  expectOptionalList,
  expectOptionalObject,
  expectFlag,
  expectObject,
  expectText,
  isAbsent,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { unsupportedParameter, createDroppedFields } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { SCHEMA_NAME, isOpenaiStrictSchema } from '../neutral/is-openai-strict-schema.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { decodeTurns } from './decode-turns.ts';

const READ_MEMBERS = [
  'model',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'output_config',
  'output_format',
  'metadata',
];

/**
 * Members that refer to state or services of the provider that defines this dialect. No other
 * provider supports them, and the answer would be wrong without them, so a request with one of them
 * is refused, unless it is an empty list. The second element is the reason in the error.
 */
const REFUSED: readonly (readonly [string, string])[] = [
  ['container', 'Containers belong to their own provider.'],
  ['mcp_servers', 'The provider itself would call these servers.'],
  ['thread', 'The conversation is kept by its own provider.'],
];

const EFFORTS: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const MAX_UINT32 = 0xffffffff;

export const decodeRequest = (body: JsonObject): Decoded => {
  const dropped = createDroppedFields();
  for (const [name, reason] of REFUSED) {
    if (!isAbsent(body[name]) && !isEmptyList(body[name])) throw unsupportedParameter(name, reason);
  }
  dropped.addUnknown(body, [...READ_MEMBERS, ...REFUSED.map(([name]) => name)], '');
  const conversation = create(ConversationSchema, {
    ...decodeTurns(body, dropped),
    tools: decodeTools(body.tools, dropped),
    toolChoice: decodeToolChoice(body.tool_choice, dropped),
    responseFormat: decodeResponseFormat(body, dropped),
    sampling: decodeSampling(body, dropped),
    streamed: expectFlag(body.stream, 'stream') ?? false,
  });
  return { conversation, dropped: dropped.names() };
};

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Decodes `output_config.format`, or `output_format`, its older name. */
const decodeResponseFormat = (
  body: JsonObject,
  dropped: DroppedFields,
): ResponseFormat | undefined => {
  const config = readConfig(body);
  const isNew = !isAbsent(config.format);
  const path = isNew ? 'output_config.format' : 'output_format';
  const value = isNew ? config.format : body.output_format;
  if (isAbsent(value)) return undefined;
  const format = expectObject(value, path);
  if (format.type !== 'json_schema') {
    throw unsupportedParameter(`${path}.type`, 'Only json_schema is known.');
  }
  dropped.addUnknown(format, ['type', 'schema'], path);
  const schema = expectObject(format.schema, `${path}.schema`);
  return create(ResponseFormatSchema, {
    kind: 'json_schema',
    name: SCHEMA_NAME,
    schema: JSON.stringify(schema),
    // `strict` is set only if OpenAI accepts the schema as strict, whereas this dialect enforces
    // every schema.
    ...(isOpenaiStrictSchema(schema) ? { strict: true } : {}),
  });
};

const decodeSampling = (body: JsonObject, dropped: DroppedFields): Sampling | undefined => {
  const config = readConfig(body);
  dropped.addUnknown(config, ['format', 'effort'], 'output_config');
  const metadata = expectOptionalObject(body.metadata, 'metadata');
  dropped.addUnknown(metadata, ['user_id'], 'metadata');
  const { user_id: user } = metadata;
  const positiveInteger = { min: 1, max: Number.MAX_SAFE_INTEGER, isInteger: true };
  const limit = expectNumber(body.max_tokens, 'max_tokens', positiveInteger);
  const sampling = {
    // The limit is reduced to the maximum of a 32-bit field in the contract between services; no
    // model generates as much.
    maxOutputTokens: limit && Math.min(limit, MAX_UINT32),
    temperature: expectNumber(body.temperature, 'temperature', { min: 0, max: 1 }),
    topP: expectNumber(body.top_p, 'top_p', { min: 0, max: 1 }),
    topK: expectNumber(body.top_k, 'top_k', { min: 0, max: MAX_UINT32, isInteger: true }),
    stop: decodeStop(body.stop_sequences),
    reasoningEffort: decodeEffort(config.effort),
    user: expectOptionalText(user, 'metadata.user_id'),
  };
  const isAnySet = Object.values(sampling).some(isSet);
  return isAnySet ? create(SamplingSchema, sampling) : undefined;
};

const decodeEffort = (value: unknown): string => {
  if (isAbsent(value)) return '';
  const effort = expectText(value, 'output_config.effort');
  if (EFFORTS.includes(effort)) return effort;
  const param = 'output_config.effort';
  throw invalidRequest(`${param}: must be one of ${EFFORTS.join(', ')}.`, { param });
};

const readConfig = ({ output_config: config }: JsonObject): JsonObject =>
  expectOptionalObject(config, 'output_config');

const decodeStop = (value: unknown): string[] =>
  expectOptionalList(value, 'stop_sequences').map((item, position) =>
    expectText(item, `stop_sequences[${position}]`),
  );

const isSet = (value: number | string | string[] | undefined): boolean =>
  typeof value === 'number' || (value !== undefined && value.length > 0);
