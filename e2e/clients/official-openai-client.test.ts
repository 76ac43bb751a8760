import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { TRANSPORTS } from '../open-fixture.ts';

const model = 'service-auto';
const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo on Friday?' }];

const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};

const weatherFormat = {
  type: 'json_schema' as const,
  json_schema: {
    name: 'weather',
    strict: true,
    schema: {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'number' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    },
  },
};

describe.each(TRANSPORTS)('the official openai client, services over %s', (transport) => {
  let system: TestSystem;
  let client: OpenAI;

  beforeAll(async () => {
    system = await openTestSystem({ transport });
    client = new OpenAI({ baseURL: `${system.baseUrl}/v1`, apiKey: system.apiKey });
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  it('lists the addresses of the service and the models of its providers', async () => {
    const models = [];
    for await (const one of client.models.list()) models.push(one);
    expect(models.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['service-auto', 'service-agent', 'service-sensitive']),
    );
    for (const one of models) {
      expect(one).toEqual({
        id: expect.any(String),
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
      });
    }
  });

  it('gets a completion, and its certificate by a header', async () => {
    const { data, response } = await client.chat.completions
      .create({ model, messages })
      .withResponse();
    expect(data.choices[0]?.message.content).toContain('Oslo');
    expect(data.choices[0]?.finish_reason).toBe('stop');
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    const proofId = response.headers.get('x-service-proof');
    const proof = await client.get<object>(`/proofs/${proofId}`);
    expect(proof).toMatchObject({ payload: { id: proofId, response: { finishReason: 'stop' } } });
  });

  it('streams the same text as a plain completion', async () => {
    const plain = await client.chat.completions.create({ model, messages });
    let text = '';
    let finishReason: string | null | undefined;
    for await (const chunk of await client.chat.completions.create({
      model,
      messages,
      stream: true,
    })) {
      expect(chunk.usage ?? null).toBeNull();
      text += chunk.choices[0]?.delta.content ?? '';
      finishReason = chunk.choices[0]?.finish_reason ?? finishReason;
    }
    expect([text, finishReason]).toEqual([plain.choices[0]?.message.content, 'stop']);
  });

  it('gets the usage of a stream on request', async () => {
    const stream = client.chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
    });
    const { usage } = await stream.finalChatCompletion();
    const { prompt_tokens: prompt, completion_tokens: completion } = usage!;
    expect(prompt).toBeGreaterThan(0);
    expect(completion).toBeGreaterThan(0);
    expect(usage!.total_tokens).toBe(prompt + completion);
  });

  it('gets JSON that fits the requested schema', async () => {
    const answer = await client.chat.completions.parse({
      model,
      messages,
      response_format: weatherFormat,
    });
    expect(answer.choices[0]?.message.parsed).toEqual({
      city: expect.any(String),
      degrees: expect.any(Number),
    });
  });

  it.each([false, true])('gets a tool call (streamed: %s)', async (streamed) => {
    const body = { model, messages, tools: [weatherTool] };
    const { choices } = streamed
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } });
    const { arguments: text } = (call as { function: { arguments: string } }).function;
    expect(JSON.parse(text)).toEqual({ city: expect.any(String) });
  });

  it('throws an AuthenticationError for an invalid key', async () => {
    const clientWithInvalidKey = client.withOptions({ apiKey: 'sk-somebody-else' });
    const error = await failureOf(
      clientWithInvalidKey.chat.completions.create({ model, messages }),
    );
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', param: null });
  });

  it('throws a BadRequestError that names the field for an invalid body', async () => {
    const error = await failureOf(client.chat.completions.create({ model, messages: [] }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ status: 400, param: 'messages', type: 'invalid_request_error' });
  });

  it('throws a NotFoundError for an unknown agent', async () => {
    const error = await failureOf(
      client.chat.completions.create({ model: 'agent:nobody', messages }),
    );
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
  });

  it('is referred to POST /v1/conversations when it requests a debate', async () => {
    const withoutRetries = client.withOptions({ maxRetries: 0 });
    const error = await failureOf(
      withoutRetries.chat.completions.create({ model: 'debate:x', messages }),
    );
    expect(error).toMatchObject({ status: 501, code: 'not_implemented', param: 'model' });
    expect(error.message).toContain('POST /v1/conversations');
    expect(error.requestID).toMatch(/^req_/);
  });
});

const failureOf = async (call: Promise<unknown>): Promise<InstanceType<typeof APIError>> => {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as InstanceType<typeof APIError>;
};
