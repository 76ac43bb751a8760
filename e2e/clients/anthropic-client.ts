import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import type {
  ContentBlock,
  ContentBlockParam,
  Message,
  MessageParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import type {
  ChatRequest,
  ClientKind,
  Failure,
  ClientAnswer,
  TestFile,
  Turn,
} from './test-client.ts';
import { WEATHER_SCHEMA } from './weather.ts';

export const anthropicClient: ClientKind = {
  name: '@anthropic-ai/sdk',
  dialect: 'messages',
  create: ({ origin, apiKey, fetch, maxRetries = 0 }) => {
    const client = new Anthropic({ baseURL: origin, apiKey, fetch, maxRetries });
    return {
      name: anthropicClient.name,
      dialect: anthropicClient.dialect,
      finishNames: {
        stop: 'end_turn',
        tool_calls: 'tool_use',
        length: 'max_tokens',
        content_filter: 'refusal',
      },
      formats: [{ name: 'output_config', canStream: true }],
      ask: (request) => ask(client, request),
      askForWeather: (request) => askForWeather(client, request),
      toFailure,
    };
  },
};

const ask = async (client: Anthropic, request: ChatRequest): Promise<ClientAnswer> => {
  const { streamed, signal, onText } = request;
  if (!streamed) return toAnswer(await client.messages.create(toBody(request), { signal }));
  const stream = client.messages.stream(toBody(request), { signal });
  if (onText) stream.on('text', onText);
  return toAnswer(await stream.finalMessage());
};

const askForWeather = async (client: Anthropic, request: ChatRequest): Promise<unknown> => {
  const body = { ...toBody(request), output_config: { format: zodOutputFormat(WEATHER_SCHEMA) } };
  const { parsed_output: parsed } = request.streamed
    ? await client.messages.stream(body).finalMessage()
    : await client.messages.parse(body);
  return parsed;
};

const toBody = ({ model, system, turns, tools, mustCall }: ChatRequest) => ({
  model,
  max_tokens: 512,
  ...(system !== undefined && { system }),
  messages: turns.map(toMessage),
  ...(tools && {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters as Tool.InputSchema,
    })),
  }),
  ...(mustCall && { tool_choice: { type: 'any' as const } }),
});

const toMessage = (turn: Turn): MessageParam => {
  if ('answer' in turn)
    return { role: 'assistant', content: turn.answer.nativeAnswer as ContentBlock[] };
  if ('results' in turn) {
    const content = turn.results.map(({ id, text }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: text,
    }));
    return { role: 'user', content };
  }
  const { user, imageUrls = [], file } = turn;
  const blocks: ContentBlockParam[] = [
    { type: 'text', text: user },
    ...imageUrls.map((url) => ({ type: 'image' as const, source: toImageSource(url) })),
    ...(file ? [toDocument(file)] : []),
  ];
  return { role: 'user', content: blocks.length === 1 ? user : blocks };
};

const toImageSource = (url: string) => {
  const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
  if (data === undefined) return { type: 'url' as const, url };
  return { type: 'base64' as const, media_type: mediaType as 'image/png', data };
};

const toDocument = ({ name, base64 }: TestFile): ContentBlockParam => ({
  type: 'document',
  title: name,
  source: { type: 'base64', media_type: 'application/pdf', data: base64 },
});

const toAnswer = ({ content, stop_reason: finishReason, usage }: Message): ClientAnswer => ({
  text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  calls: content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
  ),
  finishReason: String(finishReason),
  usage: {
    input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
    output: usage.output_tokens,
  },
  nativeAnswer: content,
});

const toFailure = (error: unknown): Failure => {
  if (!(error instanceof APIError)) throw error;
  const { status, message, requestID } = error as InstanceType<typeof APIError>;
  return { kind: error.constructor.name, status, message, requestId: requestID ?? undefined };
};
