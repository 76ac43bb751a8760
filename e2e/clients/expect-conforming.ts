import { expect } from '@jest/globals';
import { CHAT_CHUNK, CHAT_COMPLETION, CHAT_ERROR } from '../conformance/chat-schemas.ts';
import { checkChatStream } from '../conformance/check-chat-stream.ts';
import { checkMessageStream } from '../conformance/check-message-stream.ts';
import { checkSchema } from '../conformance/check-schema.ts';
import { MESSAGE, MESSAGE_ERROR, MESSAGE_EVENT } from '../conformance/message-schemas.ts';
import { checkResponseStream } from '../conformance/check-response-stream.ts';
import { RESPONSE, RESPONSE_ERROR, RESPONSE_EVENT } from '../conformance/response-schemas.ts';
import { parseTranscript } from '../conformance/parse-transcript.ts';
import type { Schema } from '../conformance/schema.ts';
import type { RecordedExchange } from './create-fetch-recorder.ts';

const SCHEMAS = {
  chat: { body: CHAT_COMPLETION, frame: CHAT_CHUNK, error: CHAT_ERROR },
  messages: { body: MESSAGE, frame: MESSAGE_EVENT, error: MESSAGE_ERROR },
  responses: { body: RESPONSE, frame: RESPONSE_EVENT, error: RESPONSE_ERROR },
};

/**
 * Expects a response body to match its schema, or a stream to match the schemas of its frames and
 * their required order. The gateway's own output (`isGatewayOutput`) may contain only
 * members of the schema; a provider's output may have others.
 */
export const expectConforming = (
  call: RecordedExchange,
  { isGatewayOutput }: { isGatewayOutput: boolean },
): void => {
  const dialect = dialectOf(call.path);
  const schemas = SCHEMAS[dialect];
  const text = call.bytes().toString();
  const check = (schema: Schema, value: unknown): string[] =>
    checkSchema(schema, value, isGatewayOutput ? {} : { unknown: 'allowed' });
  if (!call.headers.get('content-type')?.startsWith('text/event-stream')) {
    const schema = call.status === 200 ? schemas.body : schemas.error;
    expect([text, check(schema, JSON.parse(text))]).toEqual([text, []]);
    return;
  }
  const { stream_options: options } = JSON.parse(call.requestBody) as {
    stream_options?: { include_usage?: boolean };
  };
  const requested = { usage: options?.include_usage === true };
  const orderViolations = {
    chat: () => checkChatStream(text, requested),
    messages: () => checkMessageStream(text),
    responses: () => checkResponseStream(text),
  }[dialect]();
  const shapeViolations = parseTranscript(text)
    .frames.flatMap(({ value }) => (value ? [value] : []))
    .flatMap((value) => check('error' in value ? schemas.error : schemas.frame, value));
  expect([text, [...orderViolations, ...shapeViolations]]).toEqual([text, []]);
};

const dialectOf = (path: string): keyof typeof SCHEMAS => {
  if (path.startsWith('/v1/messages')) return 'messages';
  return path.startsWith('/v1/responses') ? 'responses' : 'chat';
};
