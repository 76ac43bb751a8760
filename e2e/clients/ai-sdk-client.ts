import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateObject, generateText, jsonSchema, Output } from 'ai';
import { RetryError, streamText, tool } from 'ai';
import type { LanguageModel, ModelMessage, ToolSet, UserContent } from 'ai';
import type { ChatRequest, ClientKind, Connection, DialectName } from './test-client.ts';
import type { Failure, ClientAnswer, TestClient, Turn } from './test-client.ts';
import { WEATHER_SCHEMA } from './weather.ts';

/** The Vercel AI SDK with its OpenAI provider, which sends chat completions. */
export const aiSdkOpenaiClient: ClientKind = {
  name: 'ai with @ai-sdk/openai',
  dialect: 'chat-completions',
  create: (connection) => {
    const { origin, apiKey, fetch } = connection;
    const provider = createOpenAI({ baseURL: `${origin}/v1`, apiKey, fetch });
    // `provider(model)` would call /v1/responses instead of chat completions.
    return createClient(aiSdkOpenaiClient, connection, (model) => provider.chat(model));
  },
};

/** The Vercel AI SDK with its OpenAI provider in its default mode, which sends responses. */
export const aiSdkResponsesClient: ClientKind = {
  name: 'ai with @ai-sdk/openai and responses',
  dialect: 'responses',
  create: (connection) => {
    const { origin, apiKey, fetch } = connection;
    const provider = createOpenAI({ baseURL: `${origin}/v1`, apiKey, fetch });
    return createClient(aiSdkResponsesClient, connection, (model) => provider(model));
  },
};

/** The Vercel AI SDK with its Anthropic provider. */
export const aiSdkAnthropicClient: ClientKind = {
  name: 'ai with @ai-sdk/anthropic',
  dialect: 'messages',
  create: (connection) => {
    const { origin, apiKey, fetch } = connection;
    const provider = createAnthropic({ baseURL: `${origin}/v1`, apiKey, fetch });
    return createClient(aiSdkAnthropicClient, connection, (model) => provider(model));
  },
};

// Disables the library's console warnings, for example those about unknown model names.
globalThis.AI_SDK_LOG_WARNINGS = false;

type Settings = { modelOf: (name: string) => LanguageModel; maxRetries: number };

const createClient = (
  { name, dialect }: { name: string; dialect: DialectName },
  { maxRetries = 0 }: Connection,
  modelOf: Settings['modelOf'],
): TestClient => {
  const settings = { modelOf, maxRetries };
  return {
    name,
    dialect,
    finishNames: {
      stop: 'stop',
      tool_calls: 'tool-calls',
      length: 'length',
      content_filter: 'content-filter',
    },
    formats: [
      { name: 'Output.object', canStream: true },
      { name: 'generateObject', canStream: false },
    ],
    ask: (request) => (request.streamed ? askStreamed(settings, request) : ask(settings, request)),
    askForWeather: (request, format) => askForWeather(settings, request, format),
    toFailure,
  };
};

const ask = async (settings: Settings, request: ChatRequest): Promise<ClientAnswer> => {
  const result = await generateText(toCallOptions(settings, request));
  const { text, toolCalls, finishReason, usage, responseMessages: nativeAnswer } = result;
  return {
    text,
    calls: toolCalls.map(toToolCall),
    finishReason,
    usage: toUsage(usage),
    nativeAnswer,
  };
};

const askStreamed = async (settings: Settings, request: ChatRequest): Promise<ClientAnswer> => {
  // Without `onError` the library prints the error to the console in addition to throwing it.
  const result = streamText({ ...toCallOptions(settings, request), onError: () => {} });
  for await (const part of result.stream) {
    if (part.type === 'text-delta') request.onText?.(part.text);
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw request.signal?.reason;
  }
  const nativeAnswer = await result.responseMessages;
  return {
    text: await result.text,
    calls: (await result.toolCalls).map(toToolCall),
    finishReason: await result.finishReason,
    usage: toUsage(await result.usage),
    nativeAnswer,
  };
};

const askForWeather = async (
  settings: Settings,
  request: ChatRequest,
  format: string,
): Promise<unknown> => {
  const call = toCallOptions(settings, request);
  if (format === 'generateObject') {
    return (await generateObject({ ...call, schema: WEATHER_SCHEMA })).object;
  }
  const output = Output.object({ schema: WEATHER_SCHEMA });
  if (!request.streamed) return (await generateText({ ...call, output })).output;
  return streamText({ ...call, output }).output;
};

const toCallOptions = ({ modelOf, maxRetries }: Settings, request: ChatRequest) => ({
  model: modelOf(request.model),
  maxRetries,
  maxOutputTokens: 512,
  system: request.system,
  messages: request.turns.flatMap(toMessages),
  abortSignal: request.signal,
  ...(request.tools && { tools: toTools(request.tools) }),
  ...(request.mustCall && { toolChoice: 'required' as const }),
});

const toTools = (tools: NonNullable<ChatRequest['tools']>): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );

const toMessages = (turn: Turn): ModelMessage[] => {
  if ('answer' in turn) return turn.answer.nativeAnswer as ModelMessage[];
  if ('results' in turn) {
    const content = turn.results.map(({ id, name, text }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: { type: 'text' as const, value: text },
    }));
    return [{ role: 'tool', content }];
  }
  const { user, imageUrls = [], file } = turn;
  if (imageUrls.length === 0 && !file) return [{ role: 'user', content: user }];
  const content: UserContent = [{ type: 'text', text: user }];
  for (const url of imageUrls) {
    content.push({ type: 'file', mediaType: 'image/png', data: new URL(url) });
  }
  if (file) {
    const { base64: data, name: filename, mediaType } = file;
    content.push({ type: 'file', data, filename, mediaType });
  }
  return [{ role: 'user', content }];
};

const toToolCall = (call: { toolCallId: string; toolName: string; input: unknown }) => ({
  id: call.toolCallId,
  name: call.toolName,
  input: call.input,
});

const toUsage = (usage: { inputTokens: number | undefined; outputTokens: number | undefined }) => ({
  input: usage.inputTokens ?? Number.NaN,
  output: usage.outputTokens ?? Number.NaN,
});

/**
 * Returns the parts of an error that callers see. If the library gave up after retries, they are
 * those of the last attempt's error.
 */
const toFailure = (error: unknown): Failure => {
  const lastError = RetryError.isInstance(error) ? error.lastError : error;
  if (!APICallError.isInstance(lastError)) {
    const { name, message } = lastError as Error;
    return { kind: name, status: undefined, message, requestId: undefined };
  }
  const { name, statusCode: status, message, responseHeaders } = lastError;
  return { kind: name, status, message, requestId: responseHeaders?.['x-request-id'] };
};
