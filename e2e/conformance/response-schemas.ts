import { CHAT_ERROR } from './chat-schemas.ts';
import {
  ANY_OBJECT,
  COUNT,
  exactObject,
  NON_EMPTY_TEXT,
  NULL,
  orNull,
  TEXT,
  unionByType,
} from './schema.ts';
import type { Schema } from './schema.ts';

/*
 * The schemas in this file describe the gateway's own output in the responses dialect: translated
 * answers, answers of agents, and errors. Source: the Open Responses specification of 2026-04-24
 * and the types of the official client 7.55.
 */

const EMPTY_LIST: Schema = { type: 'array', maxItems: 0 };
const NUMBER: Schema = { type: 'number' };
const BOOLEAN: Schema = { type: 'boolean' };
const ITEM_STATUS: Schema = { enum: ['in_progress', 'completed', 'incomplete'] };
const listOf = (items: Schema): Schema => ({ type: 'array', items });

const OUTPUT_TEXT = exactObject({
  type: { const: 'output_text' },
  text: TEXT,
  annotations: EMPTY_LIST,
  logprobs: EMPTY_LIST,
});
const REFUSAL = exactObject({ type: { const: 'refusal' }, refusal: TEXT });
const SUMMARY_TEXT = exactObject({ type: { const: 'summary_text' }, text: TEXT });
const PART = unionByType(OUTPUT_TEXT, REFUSAL);

const ITEM = unionByType(
  exactObject({
    type: { const: 'message' },
    id: NON_EMPTY_TEXT,
    status: ITEM_STATUS,
    role: { const: 'assistant' },
    content: listOf(PART),
  }),
  exactObject({
    type: { const: 'function_call' },
    id: NON_EMPTY_TEXT,
    status: ITEM_STATUS,
    call_id: NON_EMPTY_TEXT,
    name: NON_EMPTY_TEXT,
    arguments: TEXT,
  }),
  exactObject({
    type: { const: 'reasoning' },
    id: NON_EMPTY_TEXT,
    status: ITEM_STATUS,
    summary: listOf(SUMMARY_TEXT),
    encrypted_content: orNull(NON_EMPTY_TEXT),
  }),
);

const USAGE = exactObject({
  input_tokens: COUNT,
  input_tokens_details: exactObject({ cached_tokens: COUNT, cache_write_tokens: COUNT }),
  output_tokens: COUNT,
  output_tokens_details: exactObject({ reasoning_tokens: COUNT }),
  total_tokens: COUNT,
});

export const RESPONSE: Schema = exactObject(
  {
    id: { type: 'string', pattern: '^resp_' },
    object: { const: 'response' },
    created_at: COUNT,
    completed_at: orNull(COUNT),
    status: { enum: ['completed', 'incomplete', 'queued', 'in_progress', 'failed'] },
    error: orNull(exactObject({ code: NON_EMPTY_TEXT, message: NON_EMPTY_TEXT })),
    incomplete_details: orNull(exactObject({ reason: NON_EMPTY_TEXT })),
    model: NON_EMPTY_TEXT,
    output: listOf(ITEM),
    usage: orNull(USAGE),
    background: BOOLEAN,
    frequency_penalty: NUMBER,
    instructions: orNull(TEXT),
    max_output_tokens: orNull(COUNT),
    max_tool_calls: orNull(COUNT),
    metadata: ANY_OBJECT,
    parallel_tool_calls: BOOLEAN,
    presence_penalty: NUMBER,
    previous_response_id: orNull(TEXT),
    prompt_cache_key: orNull(TEXT),
    reasoning: { type: 'object', required: ['effort', 'summary'] },
    safety_identifier: orNull(TEXT),
    service_tier: NON_EMPTY_TEXT,
    store: BOOLEAN,
    temperature: NUMBER,
    text: { type: 'object', required: ['format'] },
    tool_choice: { type: ['string', 'object'] },
    tools: listOf({
      type: 'object',
      required: ['type', 'name', 'description', 'parameters', 'strict'],
    }),
    top_logprobs: COUNT,
    top_p: NUMBER,
    truncation: { enum: ['auto', 'disabled'] },
  },
  { user: TEXT },
);

export const RESPONSE_ERROR: Schema = CHAT_ERROR;

const event = (type: string, members: Readonly<Record<string, Schema>>): Schema =>
  exactObject({ type: { const: type }, sequence_number: COUNT, ...members });
const eventOfItem = (type: string, members: Readonly<Record<string, Schema>>): Schema =>
  event(type, { output_index: COUNT, item_id: NON_EMPTY_TEXT, ...members });
const eventOfPart = (type: string, members: Readonly<Record<string, Schema>>): Schema =>
  eventOfItem(type, { content_index: COUNT, ...members });
const eventOfSummary = (type: string, members: Readonly<Record<string, Schema>>): Schema =>
  eventOfItem(type, { summary_index: COUNT, ...members });

export const RESPONSE_EVENT: Schema = unionByType(
  ...['created', 'in_progress', 'completed', 'incomplete', 'failed'].map((name) =>
    event(`response.${name}`, { response: RESPONSE }),
  ),
  ...['added', 'done'].map((name) =>
    event(`response.output_item.${name}`, { output_index: COUNT, item: ITEM }),
  ),
  ...['added', 'done'].map((name) => eventOfPart(`response.content_part.${name}`, { part: PART })),
  eventOfPart('response.output_text.delta', { delta: NON_EMPTY_TEXT, logprobs: EMPTY_LIST }),
  eventOfPart('response.output_text.done', { text: TEXT, logprobs: EMPTY_LIST }),
  eventOfPart('response.refusal.delta', { delta: NON_EMPTY_TEXT }),
  eventOfPart('response.refusal.done', { refusal: TEXT }),
  eventOfItem('response.function_call_arguments.delta', { delta: NON_EMPTY_TEXT }),
  eventOfItem('response.function_call_arguments.done', { name: NON_EMPTY_TEXT, arguments: TEXT }),
  ...['added', 'done'].map((name) =>
    eventOfSummary(`response.reasoning_summary_part.${name}`, { part: SUMMARY_TEXT }),
  ),
  eventOfSummary('response.reasoning_summary_text.delta', { delta: NON_EMPTY_TEXT }),
  eventOfSummary('response.reasoning_summary_text.done', { text: TEXT }),
  event('error', { code: NON_EMPTY_TEXT, message: NON_EMPTY_TEXT, param: { anyOf: [NULL, TEXT] } }),
);
