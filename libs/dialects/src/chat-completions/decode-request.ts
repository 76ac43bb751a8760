import { create } from '@bufbuild/protobuf';
import { ConversationSchema } from '@witan/contracts';
import type { Decoded } from '../dialect.ts';
import type { JsonObject } from '../json/lenient.ts';
import { unsupportedParameter } from '../neutral/unsupported-parameter.ts';
import { decodeTurns } from './decode-turns.ts';
import { decodeResponseFormat } from './decode-response-format.ts';
import { decodeSampling, SAMPLING_MEMBERS } from './decode-sampling.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';
import { expectFlag, expectObject, isAbsent } from '../json/expect-json.ts';

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
  if (!isAbsent(body.stream_options)) {
    const options = expectObject(body.stream_options, 'stream_options');
    dropped.addUnknown(options, ['include_usage'], 'stream_options');
  }
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

const KNOWN: readonly string[] = [...DECODED, ...Object.keys(REFUSED)];
