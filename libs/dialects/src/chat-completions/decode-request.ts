import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest, ConversationSchema } from '@witan/contracts';
import type { SamplingSchema, ResponseFormatSchema } from '@witan/contracts';
import type { Decoded } from '../dialect.ts';
import {
  expectCount,
  expectNumber,
  expectList,
  expectNonEmpty,
  expectOptionalText,
  expectOptionalObject,
  expectOptionalJson,
  expectFlag,
  expectObject,
  isAbsent,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { unsupportedParameter, createDroppedFields } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { decodeTurns } from './decode-turns.ts';

/**
 * Names of the sampling parameters. `top_k` is not an OpenAI field, but local runtimes accept it.
 */
const SAMPLING_MEMBERS = [
  'frequency_penalty',
  'max_completion_tokens',
  'max_tokens',
  'presence_penalty',
  'reasoning_effort',
  'seed',
  'stop',
  'temperature',
  'top_k',
  'top_p',
  'user',
] as const;

/** Request members that the neutral form can represent, and `model`, which `readRequest` reads. */
const DECODED: readonly string[] = [
  ...SAMPLING_MEMBERS,
  'messages',
  'model',
  'parallel_tool_calls',
  'response_format',
  'stream',
  'stream_options',
  'tool_choice',
  'tools',
];

type RefusedMember = { reason: string; isHarmless?: (value: unknown) => boolean };

/**
 * Request members that the neutral form cannot represent although they change the answer. A request
 * with such a member is refused, unless its value is absent or has no effect.
 */
const REFUSED: Readonly<Record<string, RefusedMember>> = {
  audio: { reason: 'the chosen model does not speak.' },
  function_call: { reason: 'the old form of `tool_choice` cannot be translated: send that.' },
  functions: {
    reason: 'the old form of `tools` cannot be translated: send those.',
    isHarmless: (value) => Array.isArray(value) && value.length === 0,
  },
  logprobs: {
    reason: 'the chosen model does not tell them.',
    isHarmless: (value) => value === false,
  },
  modalities: {
    reason: 'the chosen model answers in text only.',
    isHarmless: (value) => Array.isArray(value) && value.every((modality) => modality === 'text'),
  },
  moderation: { reason: 'the provider of the chosen model has no such step.' },
  n: { reason: 'the chosen model gives one answer a call.', isHarmless: (value) => value === 1 },
  top_logprobs: {
    reason: 'the chosen model does not tell them.',
    isHarmless: (value) => value === 0,
  },
  web_search_options: { reason: 'the chosen model has no web search of this form.' },
};

const KNOWN: readonly string[] = [...DECODED, ...Object.keys(REFUSED)];

/**
 * Decodes a client's body. Unknown members are listed as dropped. Throws INVALID_REQUEST for an
 * invalid or unsupported member.
 */
export const decodeRequest = (body: JsonObject): Decoded => {
  for (const [name, { reason, isHarmless }] of Object.entries(REFUSED)) {
    if (!isAbsent(body[name]) && !isHarmless?.(body[name]))
      throw unsupportedParameter(name, reason);
  }
  const dropped = createDroppedFields();
  dropped.addUnknown(body, KNOWN, '');
  const options = expectOptionalObject(body.stream_options, 'stream_options');
  dropped.addUnknown(options, ['include_usage'], 'stream_options');
  const { system, turns } = decodeTurns(body.messages, dropped);
  const conversation = create(ConversationSchema, {
    system,
    turns,
    tools: decodeTools(body.tools, dropped),
    toolChoice: decodeToolChoice(body, dropped),
    responseFormat: decodeResponseFormat(body.response_format, dropped),
    sampling: decodeSampling(body),
    streamed: expectFlag(body.stream, 'stream') ?? false,
  });
  return { conversation, dropped: dropped.names() };
};

type ResponseFormatInit = MessageInitShape<typeof ResponseFormatSchema>;

const FORMAT_PATH = 'response_format';

export const decodeResponseFormat = (
  value: unknown,
  dropped: DroppedFields,
): ResponseFormatInit | undefined => {
  if (isAbsent(value)) return undefined;
  const format = expectObject(value, FORMAT_PATH);
  dropped.addUnknown(format, ['type', 'json_schema'], FORMAT_PATH);
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return { kind: 'json_object' };
  if (format.type === 'json_schema') return decodeSchema(format.json_schema, dropped);
  throw unsupportedParameter(
    `${FORMAT_PATH}.type`,
    'only text, json_object and json_schema are known.',
  );
};

const decodeSchema = (value: unknown, dropped: DroppedFields): ResponseFormatInit => {
  const path = `${FORMAT_PATH}.json_schema`;
  const { name, description, schema, strict, ...others } = expectObject(value, path);
  dropped.addUnknown(others, [], path);
  return {
    kind: 'json_schema',
    name: expectOptionalText(name, `${path}.name`),
    description: expectOptionalText(description, `${path}.description`),
    schema: expectOptionalJson(schema, `${path}.schema`),
    strict: expectFlag(strict, `${path}.strict`),
  };
};

type SamplingInit = MessageInitShape<typeof SamplingSchema>;

const MAX_UINT32 = 2 ** 32 - 1;

export const decodeSampling = (body: JsonObject): SamplingInit | undefined => {
  if (SAMPLING_MEMBERS.every((name) => isAbsent(body[name]))) return undefined;
  return {
    maxOutputTokens: decodeLimit(body),
    temperature: expectNumber(body.temperature, 'temperature'),
    topP: expectNumber(body.top_p, 'top_p'),
    topK: expectCount(body.top_k, 'top_k'),
    stop: decodeStop(body.stop),
    seed: decodeSeed(body.seed),
    presencePenalty: expectNumber(body.presence_penalty, 'presence_penalty'),
    frequencyPenalty: expectNumber(body.frequency_penalty, 'frequency_penalty'),
    reasoningEffort: expectOptionalText(body.reasoning_effort, 'reasoning_effort'),
    user: expectOptionalText(body.user, 'user'),
  };
};

const decodeLimit = (body: JsonObject): number | undefined => {
  const legacyLimit = expectCount(body.max_tokens, 'max_tokens');
  const limit = expectCount(body.max_completion_tokens, 'max_completion_tokens');
  if (legacyLimit === undefined && limit === undefined) return undefined;
  return Math.min(legacyLimit ?? MAX_UINT32, limit ?? MAX_UINT32, MAX_UINT32);
};

const decodeStop = (value: unknown): string[] => {
  if (isAbsent(value)) return [];
  if (typeof value === 'string') return [value];
  return expectList(value, 'stop').map((sequence, index) =>
    expectNonEmpty(sequence, `stop[${index}]`),
  );
};

const decodeSeed = (value: unknown): bigint | undefined => {
  const seed = expectNumber(value, 'seed');
  if (seed === undefined) return undefined;
  if (Number.isSafeInteger(seed)) return BigInt(seed);
  throw invalidRequest('seed: must be a whole number below 2^53.', { param: 'seed' });
};
