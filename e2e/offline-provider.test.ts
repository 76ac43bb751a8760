import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyResponse } from '@witan/proof';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { CHAT_COMPLETION } from './conformance/chat-schemas.ts';
import { checkChatStream } from './conformance/check-chat-stream.ts';
import { checkMessageStream } from './conformance/check-message-stream.ts';
import { checkSchema } from './conformance/check-schema.ts';
import { MESSAGE } from './conformance/message-schemas.ts';
import type { Schema } from './conformance/schema.ts';
import { CHAT, createHttpClient, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';

type Dialect = [
  name: string,
  path: string,
  body: object,
  schema: Schema,
  check: (text: string) => string[],
];
const DIALECTS: Dialect[] = [
  ['chat completions', CHAT, PING, CHAT_COMPLETION, (text) => checkChatStream(text)],
  ['messages', MESSAGES, MESSAGE_PING, MESSAGE, checkMessageStream],
];

/**
 * Model addresses that the offline provider serves, each with the routing reason. In development
 * the offline provider counts as local.
 */
const ADDRESSES = [
  ['gpt-5', 'default_provider'],
  ['claude-sonnet-5-5', 'default_provider'],
  ['service-auto', 'simple'],
  ['service-agent', 'forced'],
  ['service-sensitive', 'sensitive_local'],
];

describe.each(TRANSPORTS)('a system without a provider, services over %s', (transport) => {
  let system: TestSystem;
  let client: HttpClient;

  beforeAll(async () => {
    system = await openTestSystem({ transport });
    client = createHttpClient(system);
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  describe.each(DIALECTS)('answers in development, in %s', (_name, path, ping, schema, check) => {
    it.each(ADDRESSES)('%s', async (model, reason) => {
      const plain = await client.send(path, { body: { ...ping, model } });
      expect([plain.status, checkSchema(schema, plain.json)]).toEqual([200, []]);
      const streamed = await client.send(path, { body: { ...ping, model, stream: true } });
      expect([streamed.status, check(streamed.text)]).toEqual([200, []]);
      for (const answer of [plain, streamed]) {
        const { payload } = await client.certificateOf(answer);
        verifyResponse(payload, answer.bytes);
        expect(payload).toMatchObject({ egress: { provider: 'offline' }, routing: { reason } });
      }
    });
  });
});
