import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenAI } from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources';
import { answerOffline } from './answer-offline.ts';
import type { ChatCompletion } from './chat-completion.ts';
import { streamOffline } from './stream-offline.ts';

type Body = { stream?: boolean; stream_options?: { include_usage?: boolean } };

const server: Server = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const completion = answerOffline(body);
  const isStream = body.stream === true;
  const includeUsage = body.stream_options?.include_usage === true;
  response.writeHead(200, {
    'content-type': isStream ? 'text/event-stream' : 'application/json',
  });
  response.end(isStream ? toEvents(completion, includeUsage) : JSON.stringify(completion));
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as Body;
}

function toEvents(completion: ChatCompletion, includeUsage: boolean): string {
  const chunks = [...streamOffline(completion, { includeUsage })].map((chunk) =>
    JSON.stringify(chunk),
  );
  return [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

let client: OpenAI;

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const model = 'service-auto';
const messages = [
  { role: 'user' as const, content: 'Is it warm in Rome? It was 31 degrees in Oslo.' },
];

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
        required: ['city', 'days'],
        additionalProperties: false,
      },
    },
  },
];

const schema = {
  type: 'object',
  properties: { answer: { type: 'string' }, degrees: { type: 'number' } },
  required: ['answer', 'degrees'],
  additionalProperties: false,
};

const bodies: [string, Omit<ChatCompletionCreateParamsNonStreaming, 'stream'>][] = [
  ['plain', { model, messages }],
  ['tools', { model, messages, tools, tool_choice: 'required' }],
  ['n=2', { model, messages, n: 2 }],
  [
    'json_schema',
    {
      model,
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
    },
  ],
];

describe('the official client and the offline provider', () => {
  it.each(bodies)('assembles the plain answer from a stream: %s', async (_name, body) => {
    const plain = await client.chat.completions.create(body);
    const stream = client.chat.completions.stream({
      ...body,
      stream_options: { include_usage: true },
    });
    const streamed = await stream.finalChatCompletion();
    expect(streamed.usage).toEqual(plain.usage);
    expect(streamed.choices.length).toBe(plain.choices.length);
    for (const [index, choice] of plain.choices.entries()) {
      const other = streamed.choices[index];
      expect(other?.finish_reason).toBe(choice.finish_reason);
      expect(other?.message.content).toBe(choice.message.content);
      expect(other?.message.tool_calls?.map(argumentsOf)).toEqual(
        choice.message.tool_calls?.map(argumentsOf),
      );
    }
  });

  it('parses structured output', async () => {
    const parsed = await client.chat.completions.parse(bodies[3]?.[1] ?? { model, messages });
    expect(parsed.choices[0]?.message.parsed).toMatchObject({ degrees: 31 });
  });

  it('runs a tool loop to its end', async () => {
    const runner = client.chat.completions.runTools({
      model,
      messages: [{ role: 'user', content: 'What is the weather in Rome?' }],
      tools: [
        {
          type: 'function',
          function: {
            ...tools[0]?.function,
            description: 'Weather',
            parameters: tools[0]?.function.parameters ?? {},
            parse: (text: string) => JSON.parse(text) as { city: string },
            function: ({ city }: { city: string }) => `${city} has 29 degrees.`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain(
      'From the tool get_weather: Rome has 29 degrees.',
    );
  });
});

function argumentsOf(call: object): unknown {
  return 'function' in call ? call.function : undefined;
}
