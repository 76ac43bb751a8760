import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ConversationSchema } from '@witan/contracts';
import type { ResponseFormatSchema, SamplingSchema } from '@witan/contracts';
import type { Decoded } from '../dialect.ts';
import {
  expectCount,
  expectFlag,
  expectNumber,
  expectObject,
  expectOptionalJson,
  expectOptionalList,
  expectOptionalObject,
  expectOptionalText,
  isAbsent,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createDroppedFields, unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { decodeTurns } from './decode-turns.ts';

/** Request members that the neutral form can represent, or that concern the response object. */
const DECODED: readonly string[] = [
  ...['frequency_penalty', 'include', 'input', 'instructions', 'max_output_tokens', 'metadata'],
  ...['model', 'parallel_tool_calls', 'presence_penalty', 'reasoning', 'safety_identifier'],
  'store',
  ...['stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools', 'top_p', 'user'],
];

type OddMember = { reason?: string; isHarmless: (value: unknown) => boolean };

const isFalse = (value: unknown): boolean => value === false;
const isZero = (value: unknown): boolean => value === 0;

/**
 * Request members that only a provider of this dialect has. One with a `reason` changes the answer,
 * so it is refused; the others are dropped and reported. A harmless value asks for nothing.
 */
const ODD: Readonly<Record<string, OddMember>> = {
  background: {
    reason: 'only a provider that speaks this dialect answers in the background.',
    isHarmless: isFalse,
  },
  conversation: {
    reason: 'the conversation is stored by its own provider.',
    isHarmless: () => false,
  },
  moderation: {
    reason: 'the provider of the chosen model has no such step.',
    isHarmless: () => false,
  },
  previous_response_id: {
    reason:
      'the gateway stores no response of this id, and only the provider that stores it can go on.',
    isHarmless: () => false,
  },
  prompt: {
    reason: 'the prompt template is stored by its own provider.',
    isHarmless: () => false,
  },
  top_logprobs: { reason: 'the chosen model does not tell them.', isHarmless: isZero },
  service_tier: { isHarmless: (value) => value === 'auto' || value === 'default' },
  truncation: { isHarmless: (value) => value === 'disabled' },
};

const KNOWN: readonly string[] = [...DECODED, ...Object.keys(ODD)];
const LOGPROBS = 'message.output_text.logprobs';
const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/**
 * Decodes a client's body. Unknown members are listed as dropped. Throws INVALID_REQUEST for an
 * invalid or unsupported member.
 */
export const decodeRequest = (body: JsonObject): Decoded => {
  const dropped = createDroppedFields();
  for (const [name, { reason, isHarmless }] of Object.entries(ODD)) {
    if (isAbsent(body[name]) || isHarmless(body[name])) continue;
    if (reason !== undefined) throw unsupportedParameter(name, reason);
    dropped.add(name);
  }
  dropped.addUnknown(body, KNOWN, '');
  checkIncluded(body.include, dropped);
  const options = expectOptionalObject(body.stream_options, 'stream_options');
  dropped.addUnknown(options, ['include_obfuscation'], 'stream_options');
  const { system, turns } = decodeTurns(body, dropped);
  const conversation = create(ConversationSchema, {
    system,
    turns,
    tools: decodeTools(body.tools, dropped),
    toolChoice: decodeToolChoice(body, dropped),
    responseFormat: decodeFormat(body.text, dropped),
    sampling: decodeSampling(body, dropped),
    streamed: expectFlag(body.stream, 'stream') ?? false,
  });
  return { conversation, dropped: dropped.names() };
};

/**
 * Checks `include`: encrypted reasoning is always returned, and log probabilities are refused.
 * Other values concern tools that only a provider of this dialect runs; they are dropped and
 * reported.
 */
const checkIncluded = (value: unknown, dropped: DroppedFields): void => {
  const included = expectOptionalList(value, 'include');
  if (included.includes(LOGPROBS)) {
    throw unsupportedParameter('include', 'the chosen model does not tell log probabilities.');
  }
  if (included.some((name) => name !== ENCRYPTED_REASONING)) dropped.add('include');
};

type ResponseFormatInit = MessageInitShape<typeof ResponseFormatSchema>;

const FORMAT_PATH = 'text.format';

export const decodeFormat = (
  value: unknown,
  dropped: DroppedFields,
): ResponseFormatInit | undefined => {
  const text = expectOptionalObject(value, 'text');
  dropped.addUnknown(text, ['format'], 'text');
  if (isAbsent(text.format)) return undefined;
  const { type, name, description, schema, strict, ...others } = expectObject(
    text.format,
    FORMAT_PATH,
  );
  dropped.addUnknown(others, [], FORMAT_PATH);
  if (type === 'text') return undefined;
  if (type === 'json_object') return { kind: 'json_object' };
  if (type !== 'json_schema') {
    const reason = 'only text, json_object and json_schema are known.';
    throw unsupportedParameter(`${FORMAT_PATH}.type`, reason);
  }
  return {
    kind: 'json_schema',
    name: expectOptionalText(name, `${FORMAT_PATH}.name`),
    description: expectOptionalText(description, `${FORMAT_PATH}.description`),
    schema: expectOptionalJson(schema, `${FORMAT_PATH}.schema`),
    strict: expectFlag(strict, `${FORMAT_PATH}.strict`),
  };
};

type SamplingInit = MessageInitShape<typeof SamplingSchema>;

const SAMPLING_MEMBERS = [
  ...['frequency_penalty', 'max_output_tokens', 'presence_penalty', 'reasoning'],
  ...['safety_identifier', 'temperature', 'top_p', 'user'],
];
const MAX_UINT32 = 2 ** 32 - 1;

export const decodeSampling = (
  body: JsonObject,
  dropped: DroppedFields,
): SamplingInit | undefined => {
  if (SAMPLING_MEMBERS.every((name) => isAbsent(body[name]))) return undefined;
  const reasoning = expectOptionalObject(body.reasoning, 'reasoning');
  dropped.addUnknown(reasoning, ['effort'], 'reasoning');
  const limit = expectCount(body.max_output_tokens, 'max_output_tokens');
  const user = expectOptionalText(body.user, 'user');
  return {
    maxOutputTokens: limit === undefined ? undefined : Math.min(limit, MAX_UINT32),
    temperature: expectNumber(body.temperature, 'temperature'),
    topP: expectNumber(body.top_p, 'top_p'),
    presencePenalty: expectNumber(body.presence_penalty, 'presence_penalty'),
    frequencyPenalty: expectNumber(body.frequency_penalty, 'frequency_penalty'),
    reasoningEffort: expectOptionalText(reasoning.effort, 'reasoning.effort'),
    user: expectOptionalText(body.safety_identifier, 'safety_identifier') || user,
  };
};
