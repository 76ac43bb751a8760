import {
  ANY_OBJECT,
  unionByType,
  COUNT,
  exactObject,
  NULL,
  orNull,
  TEXT,
  NON_EMPTY_TEXT,
} from './schema.ts';
import type { Schema } from './schema.ts';

/*
 * The schemas in this file describe the gateway's own output in the messages dialect: translated
 * answers, answers of agents, errors, token counts and lists. Source: the public reference and the
 * types of the official client 1.10; members that older versions lack are optional.
 */

const STOP_REASON: Schema = {
  enum: [
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'pause_turn',
    'refusal',
    'model_context_window_exceeded',
  ],
};

const STOP_DETAILS = orNull(
  exactObject(
    { type: { const: 'refusal' } },
    { category: orNull(TEXT), explanation: orNull(TEXT) },
  ),
);

const DIRECT_CALLER = exactObject({ type: { const: 'direct' } });

/** The gateway's own output never contains citations: null or an empty list. */
const NO_CITATIONS: Schema = { anyOf: [NULL, { type: 'array', maxItems: 0 }] };

const REDACTED_THINKING = exactObject({ type: { const: 'redacted_thinking' }, data: TEXT });

const toToolUseSchema = (input: Schema): Schema =>
  exactObject(
    { type: { const: 'tool_use' }, id: NON_EMPTY_TEXT, name: NON_EMPTY_TEXT, input },
    { caller: DIRECT_CALLER },
  );

const CONTENT_BLOCK = unionByType(
  exactObject({ type: { const: 'text' }, text: TEXT }, { citations: NO_CITATIONS }),
  exactObject({ type: { const: 'thinking' }, thinking: TEXT, signature: TEXT }),
  REDACTED_THINKING,
  toToolUseSchema(ANY_OBJECT),
);

const CACHE_CREATION = orNull(
  exactObject({ ephemeral_5m_input_tokens: COUNT, ephemeral_1h_input_tokens: COUNT }),
);

/** Optional members of `usage` in messages and in `message_delta` events. */
const OPTIONAL_COUNTS = {
  cache_creation_input_tokens: orNull(COUNT),
  cache_read_input_tokens: orNull(COUNT),
  output_tokens_details: orNull(exactObject({ thinking_tokens: COUNT })),
  server_tool_use: NULL,
};

const toUsageSchema = (outputTokens: Schema): Schema =>
  exactObject(
    { input_tokens: COUNT, output_tokens: outputTokens },
    {
      ...OPTIONAL_COUNTS,
      cache_creation: CACHE_CREATION,
      service_tier: orNull(TEXT),
      inference_geo: orNull(TEXT),
      speed: orNull(TEXT),
    },
  );

const COMMON_MEMBERS = {
  id: NON_EMPTY_TEXT,
  type: { const: 'message' },
  role: { const: 'assistant' },
  model: NON_EMPTY_TEXT,
};
const OPTIONAL_MEMBERS = { stop_details: STOP_DETAILS, container: NULL, diagnostics: NULL };

/** A complete message. If its `stop_reason` is `tool_use`, it must contain a tool call. */
export const MESSAGE: Schema = {
  ...exactObject(
    {
      ...COMMON_MEMBERS,
      content: { type: 'array', items: CONTENT_BLOCK },
      stop_reason: STOP_REASON,
      stop_sequence: orNull(TEXT),
      usage: toUsageSchema(COUNT),
    },
    OPTIONAL_MEMBERS,
  ),
  if: { properties: { stop_reason: { const: 'tool_use' } }, required: ['stop_reason'] },
  then: { properties: { content: { contains: { properties: { type: { const: 'tool_use' } } } } } },
};

const STARTED_MESSAGE = exactObject(
  {
    ...COMMON_MEMBERS,
    content: { type: 'array', maxItems: 0 },
    stop_reason: NULL,
    stop_sequence: NULL,
    usage: toUsageSchema({ enum: [0, 1] }),
  },
  OPTIONAL_MEMBERS,
);

const EMPTY_TEXT: Schema = { const: '' };

const EMPTY_BLOCK = unionByType(
  exactObject({ type: { const: 'text' }, text: EMPTY_TEXT }, { citations: NO_CITATIONS }),
  exactObject({ type: { const: 'thinking' }, thinking: EMPTY_TEXT }, { signature: EMPTY_TEXT }),
  REDACTED_THINKING,
  toToolUseSchema({ const: {} }),
);

const DELTA = unionByType(
  exactObject({ type: { const: 'text_delta' }, text: TEXT }),
  exactObject({ type: { const: 'thinking_delta' }, thinking: TEXT }),
  exactObject({ type: { const: 'signature_delta' }, signature: TEXT }),
  exactObject({ type: { const: 'input_json_delta' }, partial_json: TEXT }),
);

export const MESSAGE_ERROR = exactObject({
  type: { const: 'error' },
  error: exactObject({
    type: {
      enum: [
        'invalid_request_error',
        'authentication_error',
        'billing_error',
        'permission_error',
        'not_found_error',
        'request_too_large',
        'rate_limit_error',
        'timeout_error',
        'api_error',
        'overloaded_error',
      ],
    },
    message: NON_EMPTY_TEXT,
  }),
  request_id: NON_EMPTY_TEXT,
});

/** Any event of a stream. The `error` event has the same shape as an error body. */
export const MESSAGE_EVENT = unionByType(
  exactObject({ type: { const: 'message_start' }, message: STARTED_MESSAGE }),
  exactObject({ type: { const: 'ping' } }),
  exactObject({ type: { const: 'content_block_start' }, index: COUNT, content_block: EMPTY_BLOCK }),
  exactObject({ type: { const: 'content_block_delta' }, index: COUNT, delta: DELTA }),
  exactObject({ type: { const: 'content_block_stop' }, index: COUNT }),
  exactObject({
    type: { const: 'message_delta' },
    delta: exactObject(
      { stop_reason: STOP_REASON, stop_sequence: orNull(TEXT) },
      { stop_details: STOP_DETAILS, container: NULL },
    ),
    usage: exactObject(
      { output_tokens: COUNT },
      { ...OPTIONAL_COUNTS, input_tokens: orNull(COUNT) },
    ),
  }),
  exactObject({ type: { const: 'message_stop' } }),
  MESSAGE_ERROR,
);

export const TOKEN_COUNT = exactObject({ input_tokens: COUNT });

const TIMESTAMP: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$',
};

/** One model, as `GET /v1/models/{id}` returns it to a client that sends `anthropic-version`. */
export const MESSAGE_MODEL = exactObject(
  {
    type: { const: 'model' },
    id: NON_EMPTY_TEXT,
    display_name: NON_EMPTY_TEXT,
    created_at: TIMESTAMP,
  },
  {
    capabilities: orNull(ANY_OBJECT),
    deprecated_at: orNull(TIMESTAMP),
    retires_at: orNull(TIMESTAMP),
    lifecycle: { enum: ['active', 'deprecated', 'retired'] },
    line: orNull(TEXT),
    max_input_tokens: orNull(COUNT),
    max_tokens: orNull(COUNT),
  },
);

export const MESSAGE_MODELS = exactObject({
  data: { type: 'array', items: MESSAGE_MODEL },
  has_more: { type: 'boolean' },
  first_id: orNull(NON_EMPTY_TEXT),
  last_id: orNull(NON_EMPTY_TEXT),
});
