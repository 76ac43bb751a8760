import { COUNT, exactObject, orNull, TEXT, NON_EMPTY_TEXT } from './schema.ts';
import type { Schema } from './schema.ts';

/*
 * The schemas in this file describe the gateway's own output in the chat-completions dialect:
 * translated answers, answers of agents, errors and lists. Source: the public reference and the
 * types of the official client 7.55.
 */

const FINISH_REASON: Schema = { enum: ['stop', 'length', 'tool_calls', 'content_filter'] };

const TOOL_CALL = exactObject({
  id: NON_EMPTY_TEXT,
  type: { const: 'function' },
  function: exactObject({ name: NON_EMPTY_TEXT, arguments: TEXT }),
});

const PROMPT_DETAILS = exactObject(
  {},
  { cached_tokens: COUNT, cache_write_tokens: COUNT, audio_tokens: COUNT },
);

const COMPLETION_DETAILS = exactObject(
  {},
  {
    reasoning_tokens: COUNT,
    audio_tokens: COUNT,
    accepted_prediction_tokens: COUNT,
    rejected_prediction_tokens: COUNT,
  },
);

const USAGE = exactObject(
  { prompt_tokens: COUNT, completion_tokens: COUNT, total_tokens: COUNT },
  { prompt_tokens_details: PROMPT_DETAILS, completion_tokens_details: COMPLETION_DETAILS },
);

const MESSAGE = exactObject(
  { role: { const: 'assistant' }, content: orNull(TEXT), refusal: orNull(TEXT) },
  {
    tool_calls: { type: 'array', minItems: 1, items: TOOL_CALL },
    reasoning_content: TEXT,
    annotations: { type: 'array' },
  },
);

/** The gateway never translates log probabilities, so its own output has null. */
const LOGPROBS: Schema = { type: 'null' };

const CHOICE: Schema = {
  ...exactObject({
    index: COUNT,
    message: MESSAGE,
    finish_reason: FINISH_REASON,
    logprobs: LOGPROBS,
  }),
  if: { properties: { finish_reason: { const: 'tool_calls' } }, required: ['finish_reason'] },
  then: { properties: { message: { required: ['tool_calls'] } } },
};

const COMMON_MEMBERS = { id: NON_EMPTY_TEXT, created: COUNT, model: NON_EMPTY_TEXT };
const OPTIONAL_MEMBERS = { system_fingerprint: orNull(TEXT), service_tier: orNull(TEXT) };

export const CHAT_COMPLETION = exactObject(
  {
    ...COMMON_MEMBERS,
    object: { const: 'chat.completion' },
    choices: { type: 'array', minItems: 1, items: CHOICE },
    usage: USAGE,
  },
  OPTIONAL_MEMBERS,
);

const TOOL_CALL_DELTA = exactObject(
  { index: COUNT, function: exactObject({}, { name: NON_EMPTY_TEXT, arguments: TEXT }) },
  { id: NON_EMPTY_TEXT, type: { const: 'function' } },
);

const DELTA = exactObject(
  {},
  {
    role: { const: 'assistant' },
    content: orNull(TEXT),
    refusal: orNull(TEXT),
    reasoning_content: TEXT,
    tool_calls: { type: 'array', minItems: 1, items: TOOL_CALL_DELTA },
  },
);

const CHUNK_CHOICE = exactObject(
  { index: COUNT, delta: DELTA, finish_reason: orNull(FINISH_REASON) },
  { logprobs: LOGPROBS },
);

export const CHAT_CHUNK = exactObject(
  {
    ...COMMON_MEMBERS,
    object: { const: 'chat.completion.chunk' },
    choices: { type: 'array', items: CHUNK_CHOICE },
  },
  { ...OPTIONAL_MEMBERS, usage: orNull(USAGE) },
);

/**
 * An error, as a body or as the last frame of a stream. All four members are present; `param` and
 * `code` may be null.
 */
export const CHAT_ERROR = exactObject({
  error: exactObject({
    message: NON_EMPTY_TEXT,
    type: {
      enum: ['invalid_request_error', 'insufficient_quota', 'rate_limit_error', 'server_error'],
    },
    param: orNull(TEXT),
    code: orNull(NON_EMPTY_TEXT),
  }),
});

export const CHAT_MODEL = exactObject({
  id: NON_EMPTY_TEXT,
  object: { const: 'model' },
  created: COUNT,
  owned_by: NON_EMPTY_TEXT,
});

export const CHAT_MODELS = exactObject({
  object: { const: 'list' },
  data: { type: 'array', items: CHAT_MODEL },
});
