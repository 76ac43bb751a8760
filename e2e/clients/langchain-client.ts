import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import type { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import type {
  ChatRequest,
  ClientKind,
  Failure,
  ClientAnswer,
  TestClient,
  TestFile,
} from './test-client.ts';
import type { Turn } from './test-client.ts';
import { WEATHER_SCHEMA } from './weather.ts';

export const langchainOpenaiClient: ClientKind = {
  name: '@langchain/openai',
  dialect: 'chat-completions',
  create: ({ origin, apiKey, fetch, maxRetries = 0 }) => {
    const configuration = { baseURL: `${origin}/v1`, fetch };
    return createClient({
      ...langchainOpenaiClient,
      finishNames: {
        stop: 'stop',
        tool_calls: 'tool_calls',
        length: 'length',
        content_filter: 'content_filter',
      },
      formats: [
        { name: 'jsonSchema', canStream: true },
        { name: 'functionCalling', canStream: true },
        { name: 'jsonMode', canStream: true },
      ],
      modelOf: (model) => new ChatOpenAI({ model, apiKey, maxRetries, configuration }),
      toFile: ({ name, mediaType, base64 }) => ({
        type: 'file',
        file: { filename: name, file_data: `data:${mediaType};base64,${base64}` },
      }),
    });
  },
};

export const langchainAnthropicClient: ClientKind = {
  name: '@langchain/anthropic',
  dialect: 'messages',
  addsFirstEventTokens: true,
  create: ({ origin, apiKey, fetch, maxRetries = 0 }) => {
    const options = { anthropicApiUrl: origin, clientOptions: { fetch } };
    return createClient({
      ...langchainAnthropicClient,
      finishNames: {
        stop: 'end_turn',
        tool_calls: 'tool_use',
        length: 'max_tokens',
        content_filter: 'refusal',
      },
      formats: [
        { name: 'jsonSchema', canStream: true },
        // Cannot be streamed: LangChain's parser reads the initial `input` of a streamed tool call,
        // which is always empty.
        { name: 'functionCalling', canStream: false },
      ],
      modelOf: (model) => new ChatAnthropic({ model, apiKey, maxRetries, ...options }),
      toFile: ({ name, mediaType, base64 }) => ({
        type: 'document',
        title: name,
        source: { type: 'base64', media_type: mediaType, data: base64 },
      }),
    });
  },
};

type ContentBlock = { type: string; [member: string]: unknown };

type Settings = Pick<TestClient, 'name' | 'dialect' | 'finishNames' | 'formats'> & {
  modelOf: (name: string) => ChatOpenAI | ChatAnthropic;
  /**
   * Returns a file as content block. The OpenAI and Anthropic models of LangChain use different
   * formats.
   */
  toFile: (file: TestFile) => ContentBlock;
};

const createClient = (settings: Settings): TestClient => {
  const { name, dialect, finishNames, formats } = settings;
  return {
    name,
    dialect,
    finishNames,
    formats,
    ask: (request) => ask(settings, request),
    askForWeather: (request, format) => askForWeather(settings, request, format),
    toFailure,
  };
};

const ask = async (settings: Settings, request: ChatRequest): Promise<ClientAnswer> => {
  const { model: name, streamed, signal, tools, mustCall } = request;
  const model = settings.modelOf(name);
  const boundModel = tools
    ? model.bindTools(
        tools.map((testTool) => ({ type: 'function' as const, function: { ...testTool } })),
        mustCall ? { tool_choice: 'any' } : {},
      )
    : model;
  const messages = toMessages(settings, request);
  if (!streamed) return toAnswer(await boundModel.invoke(messages, { signal }));
  let fullMessage: AIMessageChunk | undefined;
  for await (const chunk of await boundModel.stream(messages, { signal })) {
    if (chunk.text !== '') request.onText?.(chunk.text);
    fullMessage = fullMessage ? fullMessage.concat(chunk) : chunk;
  }
  return toAnswer(fullMessage!);
};

const askForWeather = async (
  settings: Settings,
  request: ChatRequest,
  format: string,
): Promise<unknown> => {
  const method = format as 'jsonSchema';
  const model = settings.modelOf(request.model);
  const structuredModel = model.withStructuredOutput(WEATHER_SCHEMA, { name: 'weather', method });
  const messages = toMessages(settings, request);
  if (!request.streamed) return structuredModel.invoke(messages);
  let lastPartial: unknown;
  for await (const partial of await structuredModel.stream(messages)) lastPartial = partial;
  return lastPartial;
};

const toMessages = ({ toFile }: Settings, { system, turns }: ChatRequest): BaseMessage[] => [
  ...(system === undefined ? [] : [new SystemMessage(system)]),
  ...turns.flatMap((turn) => toTurnMessages(turn, toFile)),
];

const toTurnMessages = (turn: Turn, toFile: Settings['toFile']): BaseMessage[] => {
  if ('answer' in turn) return [turn.answer.nativeAnswer as AIMessage];
  if ('results' in turn) {
    return turn.results.map(
      ({ id, name, text }) => new ToolMessage({ content: text, tool_call_id: id, name }),
    );
  }
  const { user, imageUrls = [], file } = turn;
  if (imageUrls.length === 0 && !file) return [new HumanMessage(user)];
  const content = [
    { type: 'text', text: user },
    ...imageUrls.map((url) => ({ type: 'image_url', image_url: { url } })),
    ...(file ? [toFile(file)] : []),
  ];
  return [new HumanMessage({ content })];
};

const toAnswer = (nativeAnswer: AIMessage | AIMessageChunk): ClientAnswer => {
  const metadata = {
    ...nativeAnswer.additional_kwargs,
    ...nativeAnswer.response_metadata,
  } as Record<string, unknown>;
  const { finish_reason, stop_reason } = metadata;
  return {
    text: nativeAnswer.text,
    calls: (nativeAnswer.tool_calls ?? []).map(({ id, name, args }) => ({
      id: id ?? '',
      name,
      input: args,
    })),
    finishReason: String(finish_reason ?? stop_reason),
    usage: {
      input: nativeAnswer.usage_metadata?.input_tokens ?? Number.NaN,
      output: nativeAnswer.usage_metadata?.output_tokens ?? Number.NaN,
    },
    nativeAnswer,
  };
};

type ClientError = Error & { status?: number; requestID?: string | null };

/**
 * Returns the parts of an error that callers see. LangChain rethrows the errors of the official
 * clients.
 */
const toFailure = (error: unknown): Failure => {
  const { constructor, name, status, message, requestID } = error as ClientError;
  const kind = name === 'Error' ? constructor.name : name;
  return { kind, status, message, requestId: requestID ?? undefined };
};
