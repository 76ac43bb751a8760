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
import { WEATHER } from './weather.ts';

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
        { name: 'jsonSchema', streams: true },
        { name: 'functionCalling', streams: true },
        { name: 'jsonMode', streams: true },
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
  countsFromStart: true,
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
        { name: 'jsonSchema', streams: true },
        // Cannot be streamed: LangChain's parser reads the initial `input` of a streamed tool call,
        // which is always empty.
        { name: 'functionCalling', streams: false },
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

type Block = { type: string; [member: string]: unknown };

type Settings = Pick<TestClient, 'name' | 'dialect' | 'finishNames' | 'formats'> & {
  modelOf: (name: string) => ChatOpenAI | ChatAnthropic;
  /**
   * Returns a file as content block. The OpenAI and Anthropic models of LangChain use different
   * formats.
   */
  toFile: (file: TestFile) => Block;
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
    describe,
  };
};

const ask = async (settings: Settings, request: ChatRequest): Promise<ClientAnswer> => {
  const { model: name, streamed, signal, tools, mustCall } = request;
  const model = settings.modelOf(name);
  const bound = tools
    ? model.bindTools(
        tools.map((declared) => ({ type: 'function' as const, function: { ...declared } })),
        mustCall ? { tool_choice: 'any' } : {},
      )
    : model;
  const messages = toMessages(settings, request);
  if (!streamed) return toAnswer(await bound.invoke(messages, { signal }));
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await bound.stream(messages, { signal })) {
    if (chunk.text !== '') request.onText?.(chunk.text);
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return toAnswer(whole!);
};

const askForWeather = async (
  settings: Settings,
  request: ChatRequest,
  format: string,
): Promise<unknown> => {
  const method = format as 'jsonSchema';
  const model = settings.modelOf(request.model);
  const structured = model.withStructuredOutput(WEATHER, { name: 'weather', method });
  const messages = toMessages(settings, request);
  if (!request.streamed) return structured.invoke(messages);
  let last: unknown;
  for await (const partial of await structured.stream(messages)) last = partial;
  return last;
};

const toMessages = ({ toFile }: Settings, { system, turns }: ChatRequest): BaseMessage[] => [
  ...(system === undefined ? [] : [new SystemMessage(system)]),
  ...turns.flatMap((turn) => toTurn(turn, toFile)),
];

const toTurn = (turn: Turn, toFile: Settings['toFile']): BaseMessage[] => {
  if ('answer' in turn) return [turn.answer.own as AIMessage];
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

const toAnswer = (own: AIMessage | AIMessageChunk): ClientAnswer => {
  const metadata = { ...own.additional_kwargs, ...own.response_metadata } as Record<
    string,
    unknown
  >;
  const { finish_reason, stop_reason } = metadata;
  return {
    text: own.text,
    calls: (own.tool_calls ?? []).map(({ id, name, args }) => ({
      id: id ?? '',
      name,
      input: args,
    })),
    finish: String(finish_reason ?? stop_reason),
    usage: {
      input: own.usage_metadata?.input_tokens ?? Number.NaN,
      output: own.usage_metadata?.output_tokens ?? Number.NaN,
    },
    own,
  };
};

type Thrown = Error & { status?: number; requestID?: string | null };

/**
 * Returns what a caller sees of an error; LangChain rethrows the errors of the official clients.
 */
const describe = (error: unknown): Failure => {
  const { constructor, name, status, message, requestID } = error as Thrown;
  const kind = name === 'Error' ? constructor.name : name;
  return { kind, status, message, requestId: requestID ?? undefined };
};
