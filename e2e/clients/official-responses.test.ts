import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyRequest, verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { eventually, openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { generateText, streamText } from 'ai';
import type { ModelMessage } from 'ai';
import OpenAI, { APIError, BadRequestError, NotFoundError } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { TRANSPORTS } from '../open-fixture.ts';
import { checkResponseStream } from '../conformance/check-response-stream.ts';
import { checkSchema } from '../conformance/check-schema.ts';
import { RESPONSE } from '../conformance/response-schemas.ts';
import { createFetchRecorder } from './create-fetch-recorder.ts';
import type { FetchRecorder } from './create-fetch-recorder.ts';
import { WEATHER_SCHEMA } from './weather.ts';

const model = 'service-auto';
const QUESTION = 'What is the weather in Oslo on Friday?';
/** A PNG of one transparent pixel. */
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const weatherTool = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Returns the weather of a city.',
  strict: false,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

/**
 * The cases of the compliance suite of Open Responses (bin/compliance-test.ts, 2026-04-24), against
 * a system whose only provider is the offline one, so that every call is converted.
 */
describe.each(TRANSPORTS)('the official clients of responses, services over %s', (transport) => {
  let system: TestSystem;
  let client: OpenAI;
  let recorder: FetchRecorder;

  beforeAll(async () => {
    system = await openTestSystem({ transport });
    recorder = createFetchRecorder();
    const { fetch } = recorder;
    const baseURL = `${system.baseUrl}/v1`;
    client = new OpenAI({ baseURL, apiKey: system.apiKey, fetch, maxRetries: 0 });
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  const lastBody = async (): Promise<string> => {
    const call = recorder.calls.at(-1)!;
    await call.ended;
    return call.bytes().toString();
  };
  const expectConformingBody = async (): Promise<void> => {
    const text = await lastBody();
    expect([text, checkSchema(RESPONSE, JSON.parse(text))]).toEqual([text, []]);
  };
  const expectConformingStream = async (): Promise<void> => {
    const text = await lastBody();
    expect([text, checkResponseStream(text)]).toEqual([text, []]);
  };

  it('get a text, and its certificate by a header', async () => {
    const { data, response } = await client.responses
      .create({ model, input: QUESTION })
      .withResponse();
    expect(data).toMatchObject({ object: 'response', status: 'completed', store: true });
    expect(data.output_text).toContain('Oslo');
    expect(data.usage!.total_tokens).toBe(data.usage!.input_tokens + data.usage!.output_tokens);
    const proofId = response.headers.get('x-service-proof');
    expect(await client.get<object>(`/proofs/${proofId}`)).toMatchObject({
      payload: { id: proofId, response: { finishReason: 'stop' } },
    });
    expect(data.id).toMatch(/^resp_[0-9A-Za-z]{22}$/);
    await client.responses.retrieve(data.id);
    await expectConformingBody();
  });

  it('stream the same text as a plain response', async () => {
    const plain = await client.responses.create({ model, input: QUESTION });
    const stream = client.responses.stream({ model, input: QUESTION });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => void (text += delta));
    const response = await stream.finalResponse();
    expect([text, response.output_text]).toEqual([plain.output_text, plain.output_text]);
    expect(response.usage!.output_tokens).toBe(plain.usage!.output_tokens);
    await expectConformingStream();
  });

  it('send instructions and developer messages', async () => {
    const response = await client.responses.create({
      model,
      instructions: 'You are Ada.',
      input: [
        { role: 'developer', content: 'Answer in one sentence.' },
        { role: 'user', content: QUESTION },
      ],
    });
    expect(response.instructions).toBe('You are Ada.');
    expect(response.output_text).not.toBe('');
    await expectConformingBody();
  });

  it.each([false, true])(
    'get a tool call and return its result (streamed: %s)',
    async (streamed) => {
      const ask = (body: OpenAI.Responses.ResponseCreateParamsNonStreaming) =>
        streamed
          ? client.responses.stream(body as never).finalResponse()
          : client.responses.create(body);
      const first = await ask({ model, input: QUESTION, tools: [weatherTool] });
      const [call] = first.output;
      expect(call).toMatchObject({
        type: 'function_call',
        name: 'get_weather',
        status: 'completed',
      });
      const { call_id, arguments: text } = call as OpenAI.Responses.ResponseFunctionToolCall;
      expect(JSON.parse(text)).toEqual({ city: expect.any(String) });
      await (streamed ? expectConformingStream() : expectConformingBody());
      const second = await ask({
        model,
        tools: [weatherTool],
        previous_response_id: first.id,
        input: [{ type: 'function_call_output', call_id, output: 'It snows in Oslo on Friday.' }],
      });
      expect(second.output_text).toContain('It snows in Oslo');
      expect(second.previous_response_id).toBe(first.id);
    },
  );

  it('send an image', async () => {
    const response = await client.responses.create({
      model,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What does this show?' },
            { type: 'input_image', image_url: PNG, detail: 'auto' },
          ],
        },
      ],
    });
    expect(response.status).toBe('completed');
    await expectConformingBody();
  });

  it('parse a response by its schema, plain and streamed', async () => {
    const body = {
      model,
      input: QUESTION,
      text: { format: zodTextFormat(WEATHER_SCHEMA, 'weather') },
    };
    const expected = { city: expect.any(String), degrees: expect.any(Number) };
    expect((await client.responses.parse(body)).output_parsed).toEqual(expected);
    const streamed = await client.responses.stream(body).finalResponse();
    expect(streamed.output_parsed).toEqual(expected);
  });

  it('continue a conversation by its items', async () => {
    const first = await client.responses.create({ model, input: QUESTION, store: false });
    expect(first).toMatchObject({ store: false });
    const second = await client.responses.create({
      model,
      store: false,
      input: [
        { role: 'user', content: QUESTION },
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        { role: 'user', content: 'And in Bergen?' },
      ],
    });
    expect(second.output_text).toContain('Bergen');
    await expect(client.responses.retrieve(first.id)).rejects.toThrow(NotFoundError);
  });

  it('read, list, continue and delete a stored response', async () => {
    const first = await client.responses.create({ model, input: QUESTION });
    const second = await client.responses.create({
      model,
      input: 'And in Bergen?',
      previous_response_id: first.id,
    });
    expect(await client.responses.retrieve(second.id)).toEqual(second);
    const items = [];
    for await (const item of client.responses.inputItems.list(second.id)) items.push(item);
    expect(items).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And in Bergen?' }] },
    ]);
    await client.responses.delete(first.id);
    const error = await failureOf(
      client.responses.create({ model, input: 'And now?', previous_response_id: second.id }),
    );
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    });
    await expect(client.responses.retrieve(first.id)).rejects.toThrow(NotFoundError);
  });

  it('get a response in the background, and continue it', async () => {
    const { data: queued, response } = await client.responses
      .create({ model, input: QUESTION, background: true, metadata: { topic: 'weather' } })
      .withResponse();
    expect(response.status).toBe(202);
    await expectConformingBody();
    expect(queued).toMatchObject({ status: 'queued', background: true, store: true, output: [] });
    const ended = await eventually(async () => {
      const read = await client.responses.retrieve(queued.id);
      return read.status === 'queued' ? undefined : read;
    }, 'the end of the response');
    await expectConformingBody();
    expect(ended).toMatchObject({
      id: queued.id,
      status: 'completed',
      background: true,
      metadata: { topic: 'weather' },
    });
    expect(ended.output_text).toContain('Oslo');
    const proofId = response.headers.get('x-service-proof');
    expect(await client.get<object>(`/proofs/${proofId}`)).toMatchObject({
      payload: { response: { finishReason: 'stop' } },
    });
    const next = { model, input: 'And in Bergen?', previous_response_id: queued.id };
    expect((await client.responses.create(next)).output_text).toContain('Bergen');
  });

  it('compact a conversation, and continue it', async () => {
    const first = await client.responses.create({ model, input: QUESTION });
    const previous_response_id = first.id;
    const { data: compacted, response } = await client.responses
      .compact({ model, input: 'And in Narvik?', previous_response_id })
      .withResponse();
    const said = [QUESTION, 'And in Narvik?'].map((text) => ({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text }],
    }));
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      output: [...said, { type: 'compaction', encrypted_content: expect.stringMatching(/.{20}/) }],
      usage: { total_tokens: expect.any(Number) },
    });
    const saved = Buffer.from(await lastBody());
    const { requestBody } = recorder.calls.at(-1)!;
    const proofId = response.headers.get('x-service-proof');
    const { payload } = await client.get<Certificate>(`/proofs/${proofId}`);
    verifyRequest(payload, Buffer.from(requestBody));
    expect(verifyResponse(payload, saved).compared).toEqual(['text', 'tool calls', 'usage']);
    const input = [...compacted.output, { role: 'user', content: 'And in Bergen?' }] as never;
    expect((await client.responses.create({ model, input })).output_text).toContain('Bergen');
  });

  it.each([
    ['store', { store: false }],
    ['stream', { stream: true }],
  ])('are refused a response in the background with another %s', async (param, members) => {
    const body = { model, input: QUESTION, background: true, ...members };
    const error = await failureOf(client.responses.create(body as never));
    expect(error).toMatchObject({ status: 400, param });
  });

  it('are refused what no provider here has, by name', async () => {
    const error = await failureOf(
      client.responses.create({ model, input: QUESTION, tools: [{ type: 'web_search' }] }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'unsupported_parameter', param: 'tools[0].type' });
    expect(error.message).toContain('web_search');
  });

  it('get errors in the shape of their dialect', async () => {
    const invalid = await failureOf(client.responses.create({ model, input: [] }));
    expect(invalid).toMatchObject({ status: 400, param: 'input', type: 'invalid_request_error' });
    const empty = await failureOf(client.responses.compact({ model }));
    expect(empty).toMatchObject({ status: 400, param: 'input' });
    const unknown = await failureOf(client.responses.create({ model: 'agent:nobody', input: 'x' }));
    expect(unknown).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
  });

  it('of the AI SDK continue a conversation in their default mode', async () => {
    const { fetch } = recorder;
    const openai = createOpenAI({
      baseURL: `${system.baseUrl}/v1`,
      apiKey: system.apiKey,
      fetch,
    });
    const messages: ModelMessage[] = [{ role: 'user', content: QUESTION }];
    const first = await generateText({ model: openai(model), messages, maxRetries: 0 });
    expect(first.text).toContain('Oslo');
    messages.push(...first.responseMessages, { role: 'user', content: 'And in Bergen?' });
    const second = streamText({
      model: openai(model),
      messages,
      maxRetries: 0,
      onError: () => {},
    });
    expect(await second.text).toContain('Bergen');
    // The library refers to the stored answer instead of sending it again.
    expect(recorder.calls.at(-1)!.requestBody).toContain('item_reference');
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
