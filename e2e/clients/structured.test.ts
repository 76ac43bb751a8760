import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '@witan/testing';
import { expectProven } from './expect-proven.ts';
import { aiSdkAnthropicClient } from './ai-sdk-client.ts';
import { PAIRINGS } from './pairings.ts';
import type { Pairing } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { sendModelOutput } from './send-model-output.ts';
import type { DialectName } from './test-client.ts';
import { OSLO_WEATHER } from './weather.ts';

type RequestWithTools = { tools?: readonly { name?: string; function?: { name: string } }[] };

/**
 * Returns a script that answers with JSON: as the input of a tool call if the request has a tool,
 * otherwise as text.
 */
const answerWithJson =
  (dialect: DialectName): Script =>
  async (exchange) => {
    const json = JSON.stringify(OSLO_WEATHER);
    const [tool] = (exchange.request.parsed as RequestWithTools).tools ?? [];
    const name = tool?.name ?? tool?.function?.name;
    const output = name
      ? { calls: [{ id: 'call_1', name, input: json }] }
      : { text: [json.slice(0, 9), json.slice(9)] };
    await sendModelOutput(dialect, output)(exchange);
  };

/** Matches the JSON Schema of the tests; client libraries add a title and other members to it. */
const weatherSchema = expect.objectContaining({
  type: 'object',
  properties: {
    city: expect.objectContaining({ type: 'string' }),
    degrees: expect.objectContaining({ type: 'number' }),
  },
  required: ['city', 'degrees'],
});

/** Expected provider request, by dialect, if the answer is JSON text that follows a schema. */
const jsonTextRequests: Record<DialectName, object> = {
  'chat-completions': {
    response_format: {
      type: 'json_schema',
      json_schema: expect.objectContaining({
        name: expect.stringMatching(/^\w+$/),
        schema: weatherSchema,
      }),
    },
  },
  messages: { output_config: { format: { type: 'json_schema', schema: weatherSchema } } },
  responses: {
    text: {
      format: expect.objectContaining({
        type: 'json_schema',
        name: expect.stringMatching(/^\w+$/),
        schema: weatherSchema,
      }),
    },
  },
};

/**
 * Expected provider request, by dialect, if the answer is the input of a tool that the client
 * declares.
 */
const toolCallRequests: Record<DialectName, object> = {
  'chat-completions': {
    tools: [{ type: 'function', function: expect.objectContaining({ parameters: weatherSchema }) }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
  },
  messages: {
    tools: [expect.objectContaining({ name: 'weather', input_schema: weatherSchema })],
    tool_choice: { type: 'tool', name: 'weather' },
  },
  responses: {
    tools: [expect.objectContaining({ name: 'weather', parameters: weatherSchema })],
    tool_choice: { type: 'function', name: 'weather' },
  },
};

/**
 * Expected provider request for JSON without a schema: chat completions have a JSON mode; for
 * messages the gateway adds an instruction to the system prompt; responses have it too.
 */
const jsonModeRequests: Record<DialectName, object> = {
  'chat-completions': { response_format: { type: 'json_object' } },
  messages: { system: expect.stringContaining('JSON') },
  responses: { text: { format: { type: 'json_object' } } },
};

/**
 * Expected provider request of the AI SDK's Anthropic provider for a model name that it does not
 * know: it uses a tool instead of a schema.
 */
const onlyToolRequests: Record<DialectName, object> = {
  ...toolCallRequests,
  'chat-completions': {
    tools: [{ type: 'function', function: expect.objectContaining({ parameters: weatherSchema }) }],
    tool_choice: 'required',
    parallel_tool_calls: false,
  },
  responses: {
    tools: [expect.objectContaining({ parameters: weatherSchema })],
    tool_choice: 'required',
    parallel_tool_calls: false,
  },
};

const findExpectedRequests = (
  { kind, crossed }: Pairing,
  format: string,
): typeof jsonTextRequests => {
  if (format === 'functionCalling') return toolCallRequests;
  if (format === 'jsonMode') return jsonModeRequests;
  return crossed && kind === aiSdkAnthropicClient ? onlyToolRequests : jsonTextRequests;
};

const unusedConnection = { origin: 'http://localhost', apiKey: 'none', fetch };

/**
 * Each structured-output format of each client, plain and, where the client supports it, streamed.
 */
const CASES = PAIRINGS.flatMap(([title, pairing]) =>
  pairing.kind
    .create(unusedConnection)
    .formats.flatMap(({ name, canStream: streams }) => [
      [name, 'plain', title, pairing] as const,
      ...(streams ? [[name, 'streamed', title, pairing] as const] : []),
    ]),
);

describe('structured output', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  it.each(CASES)(
    'is parsed by its client: %s, %s, from %s',
    async (format, form, _title, pairing) => {
      const { model, dialect } = pairing.vendor;
      setup.script(answerWithJson(dialect));
      const request = {
        model,
        streamed: form === 'streamed',
        turns: [{ user: 'Weather in Oslo?' }],
      };
      expect(await setup.clientOf(pairing).askForWeather(request, format)).toEqual(OSLO_WEATHER);
      const expectedRequests = findExpectedRequests(pairing, format);
      expect(setup.lastRequest().parsed).toMatchObject(expectedRequests[dialect]);
      const finishReason =
        expectedRequests === toolCallRequests || expectedRequests === onlyToolRequests
          ? 'tool_calls'
          : 'stop';
      await expectProven(setup, pairing, { finishReason, usage: { input: 11, output: 7 } });
    },
  );
});
