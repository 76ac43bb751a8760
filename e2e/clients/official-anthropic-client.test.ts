import Anthropic, { APIError, AuthenticationError, BadRequestError } from '@anthropic-ai/sdk';
import { NotFoundError, NotImplementedError } from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { TRANSPORTS } from '../open-fixture.ts';
import { WEATHER_SCHEMA } from './weather.ts';

const model = 'service-auto';
const max_tokens = 300;
const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo on Friday?' }];

const weatherTool = {
  name: 'get_weather',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

describe.each(TRANSPORTS)(
  '@anthropic-ai/sdk with the offline provider, services over %s',
  (transport) => {
    let system: TestSystem;
    let client: Anthropic;

    beforeAll(async () => {
      system = await openTestSystem({ transport });
      client = new Anthropic({ baseURL: system.baseUrl, apiKey: system.apiKey });
    });
    afterAll(async () => {
      await system[Symbol.asyncDispose]();
    });

    it('lists the addresses of the service', async () => {
      const ids: string[] = [];
      for await (const { id } of client.models.list()) ids.push(id);
      expect(ids).toEqual(
        expect.arrayContaining(['service-auto', 'service-agent', 'service-sensitive']),
      );
    });

    it('gets the same answer plain and streamed, with both ids', async () => {
      const plain = await client.messages.create({ model, max_tokens, messages });
      const [block] = plain.content;
      expect(block).toEqual({ type: 'text', text: expect.stringContaining('Oslo') });
      expect(plain.stop_reason).toBe('end_turn');
      expect(plain._request_id).toMatch(/^req_/);
      const stream = client.messages.stream({ model, max_tokens, messages });
      const streamed = await stream.finalMessage();
      expect(streamed.content).toEqual([block]);
      expect(streamed.usage.output_tokens).toBe(plain.usage.output_tokens);
      expect(stream.request_id).toMatch(/^req_/);
    });

    it('reads the events one by one', async () => {
      const events = await client.messages.create({ model, max_tokens, messages, stream: true });
      const types: string[] = [];
      for await (const { type } of events) if (types.at(-1) !== type) types.push(type);
      expect(types).toEqual([
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ]);
    });

    it('gets JSON that fits the requested schema', async () => {
      const output_config = { format: zodOutputFormat(WEATHER_SCHEMA) };
      const answer = await client.messages.parse({ model, max_tokens, messages, output_config });
      expect(answer.parsed_output).toEqual({
        city: expect.any(String),
        degrees: expect.any(Number),
      });
    });

    it.each([false, true])('gets a tool call (streamed: %s)', async (streamed) => {
      const body = { model, max_tokens, messages, tools: [weatherTool] };
      const answer = streamed
        ? await client.messages.stream(body).finalMessage()
        : await client.messages.create(body);
      expect(answer.stop_reason).toBe('tool_use');
      expect(answer.content.at(-1)).toMatchObject({
        type: 'tool_use',
        id: expect.any(String),
        name: 'get_weather',
        input: { city: expect.any(String) },
      });
    });

    it('counts tokens', async () => {
      const { input_tokens: count } = await client.messages.countTokens({ model, messages });
      expect(count).toBeGreaterThan(5);
    });

    it('throws an AuthenticationError for an invalid key', async () => {
      const clientWithInvalidKey = client.withOptions({ apiKey: 'sk-somebody-else' });
      const error = await failureOf(
        clientWithInvalidKey.messages.create({ model, max_tokens, messages }),
      );
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(error).toMatchObject({ status: 401, type: 'authentication_error' });
    });

    it('throws a BadRequestError that names the field for an invalid body', async () => {
      const error = await failureOf(client.messages.create({ model, max_tokens, messages: [] }));
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
      expect(error.message).toContain('messages');
    });

    it('throws a NotFoundError for an unknown agent', async () => {
      const call = client.messages.create({ model: 'agent:nobody', max_tokens, messages });
      const error = await failureOf(call);
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({ status: 404, type: 'not_found_error' });
    });

    it('is referred to POST /v1/conversations when it requests a debate', async () => {
      const withoutRetries = client.withOptions({ maxRetries: 0 });
      const error = await failureOf(
        withoutRetries.messages.create({ model: 'debate:x', max_tokens, messages }),
      );
      expect(error).toBeInstanceOf(NotImplementedError);
      expect(error.message).toContain('POST /v1/conversations');
      expect(error.requestID).toMatch(/^req_/);
    });
  },
);

const failureOf = async (call: Promise<unknown>): Promise<InstanceType<typeof APIError>> => {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as InstanceType<typeof APIError>;
};
