import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '@witan/testing';
import { expectProven } from './expect-proven.ts';
import { aiSdkAnthropicClient } from './ai-sdk-client.ts';
import { LANES } from './lanes.ts';
import type { Lane } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { sendSpeech } from './send-speech.ts';
import type { DialectName } from './test-client.ts';
import { OSLO } from './weather.ts';

type ToolsBody = { tools?: readonly { name?: string; function?: { name: string } }[] };

/**
 * Returns a script that answers with JSON: as the input of a call if the request has a tool,
 * otherwise as text.
 */
const answerInShape =
  (dialect: DialectName): Script =>
  async (exchange) => {
    const json = JSON.stringify(OSLO);
    const [tool] = (exchange.request.parsed as ToolsBody).tools ?? [];
    const name = tool?.name ?? tool?.function?.name;
    const speech = name
      ? { calls: [{ id: 'call_1', name, input: json }] }
      : { text: [json.slice(0, 9), json.slice(9)] };
    await sendSpeech(dialect, speech)(exchange);
  };

/** Matches the JSON Schema of the tests; client libraries add a title and other members to it. */
const shape = expect.objectContaining({
  type: 'object',
  properties: {
    city: expect.objectContaining({ type: 'string' }),
    degrees: expect.objectContaining({ type: 'number' }),
  },
  required: ['city', 'degrees'],
});

/** Expected provider request, by dialect, if the answer is JSON text that follows a schema. */
const asText: Record<DialectName, object> = {
  'chat-completions': {
    response_format: {
      type: 'json_schema',
      json_schema: expect.objectContaining({ name: expect.stringMatching(/^\w+$/), schema: shape }),
    },
  },
  messages: { output_config: { format: { type: 'json_schema', schema: shape } } },
};

/**
 * Expected provider request, by dialect, if the answer is the input of a tool that the client
 * declares.
 */
const asCall: Record<DialectName, object> = {
  'chat-completions': {
    tools: [{ type: 'function', function: expect.objectContaining({ parameters: shape }) }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
  },
  messages: {
    tools: [expect.objectContaining({ name: 'weather', input_schema: shape })],
    tool_choice: { type: 'tool', name: 'weather' },
  },
};

/**
 * Expected provider request for JSON without a schema: chat completions have a JSON mode; for
 * messages the gateway adds an instruction to the system prompt.
 */
const asJson: Record<DialectName, object> = {
  'chat-completions': { response_format: { type: 'json_object' } },
  messages: { system: expect.stringContaining('JSON') },
};

/**
 * The AI SDK's Anthropic provider uses a tool instead of a schema for model names that it does not
 * know.
 */
const asOnlyTool: Record<DialectName, object> = {
  ...asCall,
  'chat-completions': {
    tools: [{ type: 'function', function: expect.objectContaining({ parameters: shape }) }],
    tool_choice: 'required',
    parallel_tool_calls: false,
  },
};

const findWay = ({ kind, crossed }: Lane, format: string): typeof asText => {
  if (format === 'functionCalling') return asCall;
  if (format === 'jsonMode') return asJson;
  return crossed && kind === aiSdkAnthropicClient ? asOnlyTool : asText;
};

const nowhere = { origin: 'http://localhost', apiKey: 'none', fetch };

/**
 * Each structured-output format of each client, plain and, where the client supports it, streamed.
 */
const CASES = LANES.flatMap(([title, lane]) =>
  lane.kind
    .create(nowhere)
    .formats.flatMap(({ name, streams }) => [
      [name, 'plain', title, lane] as const,
      ...(streams ? [[name, 'streamed', title, lane] as const] : []),
    ]),
);

describe('structured output', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it.each(CASES)('is parsed by its client: %s, %s, from %s', async (format, form, _t, lane) => {
    const { model, dialect } = lane.vendor;
    bench.script(answerInShape(dialect));
    const request = { model, streamed: form === 'streamed', turns: [{ user: 'Weather in Oslo?' }] };
    expect(await bench.clientOf(lane).askForWeather(request, format)).toEqual(OSLO);
    const way = findWay(lane, format);
    expect(bench.lastRequest().parsed).toMatchObject(way[dialect]);
    const finishReason = way === asCall || way === asOnlyTool ? 'tool_calls' : 'stop';
    await expectProven(bench, lane, { finishReason, usage: { input: 11, output: 7 } });
  });
});
