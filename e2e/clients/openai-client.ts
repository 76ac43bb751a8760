import OpenAI, { APIError } from 'openai';
import type { ChatCompletion, ChatCompletionMessage } from 'openai/resources/chat/completions';
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { zodResponseFormat } from 'openai/helpers/zod';
import type { ChatRequest, ClientKind, Failure, ClientAnswer, Turn } from './test-client.ts';
import { WEATHER_SCHEMA } from './weather.ts';

export const openaiClient: ClientKind = {
  name: 'openai',
  dialect: 'chat-completions',
  keepsArguments: true,
  create: ({ origin, apiKey, fetch, maxRetries = 0 }) => {
    const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey, fetch, maxRetries });
    return {
      name: openaiClient.name,
      dialect: openaiClient.dialect,
      finishNames: {
        stop: 'stop',
        tool_calls: 'tool_calls',
        length: 'length',
        content_filter: 'content_filter',
      },
      formats: [{ name: 'json_schema', canStream: true }],
      ask: (request) => ask(client, request),
      askForWeather: (request) => askForWeather(client, request),
      toFailure,
    };
  },
};

const ask = async (client: OpenAI, request: ChatRequest): Promise<ClientAnswer> => {
  const { streamed, signal, onText } = request;
  if (!streamed) return toAnswer(await client.chat.completions.create(toBody(request), { signal }));
  const stream_options = { include_usage: true };
  const stream = client.chat.completions.stream({ ...toBody(request), stream_options }, { signal });
  if (onText) stream.on('content', onText);
  return toAnswer(await stream.finalChatCompletion());
};

const askForWeather = async (client: OpenAI, request: ChatRequest): Promise<unknown> => {
  const body = {
    ...toBody(request),
    response_format: zodResponseFormat(WEATHER_SCHEMA, 'weather'),
  };
  const { choices } = request.streamed
    ? await client.chat.completions.stream(body).finalChatCompletion()
    : await client.chat.completions.parse(body);
  return choices[0]?.message.parsed;
};

const toBody = ({ model, system, turns, tools, mustCall }: ChatRequest) => ({
  model,
  messages: [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...turns.flatMap(toMessages),
  ],
  ...(tools && {
    tools: tools.map((testTool) => ({ type: 'function' as const, function: { ...testTool } })),
  }),
  ...(mustCall && { tool_choice: 'required' as const }),
});

const toMessages = (turn: Turn): ChatCompletionMessageParam[] => {
  if ('answer' in turn) return [turn.answer.nativeAnswer as ChatCompletionMessage];
  if ('results' in turn) {
    return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
  }
  const { user, imageUrls = [], file } = turn;
  const parts: ChatCompletionContentPart[] = [
    { type: 'text', text: user },
    ...imageUrls.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
  ];
  if (file) {
    const file_data = `data:${file.mediaType};base64,${file.base64}`;
    parts.push({ type: 'file', file: { filename: file.name, file_data } });
  }
  return [{ role: 'user', content: parts.length === 1 ? user : parts }];
};

const toAnswer = ({ choices, usage }: ChatCompletion): ClientAnswer => {
  const { message, finish_reason: finishReason } = choices[0]!;
  const calls = (message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function'
      ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }]
      : [],
  );
  return {
    text: message.content ?? '',
    calls,
    finishReason,
    usage: { input: usage!.prompt_tokens, output: usage!.completion_tokens },
    nativeAnswer: message,
  };
};

export const toFailure = (error: unknown): Failure => {
  if (!(error instanceof APIError)) throw error;
  const { status, message, requestID } = error as InstanceType<typeof APIError>;
  return { kind: error.constructor.name, status, message, requestId: requestID ?? undefined };
};
