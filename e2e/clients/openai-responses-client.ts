import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses';
import type { ChatRequest, ClientAnswer, ClientKind, Turn } from './test-client.ts';
import { toFailure } from './openai-client.ts';
import { WEATHER_SCHEMA } from './weather.ts';

/** The official OpenAI client with the Responses API. */
export const openaiResponsesClient: ClientKind = {
  name: 'openai with responses',
  dialect: 'responses',
  keepsArguments: true,
  create: ({ origin, apiKey, fetch, maxRetries = 0 }) => {
    const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey, fetch, maxRetries });
    return {
      name: openaiResponsesClient.name,
      dialect: openaiResponsesClient.dialect,
      finishNames: {
        stop: 'completed',
        tool_calls: 'completed',
        length: 'max_output_tokens',
        content_filter: 'content_filter',
      },
      formats: [{ name: 'json_schema', canStream: true }],
      ask: (request) => ask(client, request),
      askForWeather: (request) => askForWeather(client, request),
      toFailure: (error) => toFailure(asApiError(error)),
    };
  },
};

const ask = async (client: OpenAI, request: ChatRequest): Promise<ClientAnswer> => {
  const { streamed, signal, onText } = request;
  if (!streamed) return toAnswer(await client.responses.create(toBody(request), { signal }));
  const stream = client.responses.stream(toBody(request), { signal });
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') onText?.(event.delta);
    if (event.type === 'response.failed') throw new StreamFailure(event.response.error?.message);
    if (event.type === 'error') throw new StreamFailure(event.message);
  }
  return toAnswer(await stream.finalResponse());
};

/** The failure that an event of a stream reports. */
class StreamFailure extends Error {
  override name = 'StreamFailure';
}

const askForWeather = async (client: OpenAI, request: ChatRequest): Promise<unknown> => {
  const body = { ...toBody(request), text: { format: zodTextFormat(WEATHER_SCHEMA, 'weather') } };
  const response = request.streamed
    ? await client.responses.stream(body).finalResponse()
    : await client.responses.parse(body);
  return response.output_parsed;
};

const toBody = ({ model, system, turns, tools, mustCall }: ChatRequest) => ({
  model,
  store: false,
  ...(system !== undefined && { instructions: system }),
  input: turns.flatMap(toItems),
  ...(tools && {
    tools: tools.map((testTool) => ({ type: 'function' as const, strict: false, ...testTool })),
  }),
  ...(mustCall && { tool_choice: 'required' as const }),
});

const toItems = (turn: Turn): ResponseInputItem[] => {
  if ('answer' in turn) return turn.answer.nativeAnswer as ResponseInputItem[];
  if ('results' in turn) {
    return turn.results.map(({ id, text }) => ({
      type: 'function_call_output',
      call_id: id,
      output: text,
    }));
  }
  const { user, imageUrls = [], file } = turn;
  if (imageUrls.length === 0 && !file) return [{ role: 'user', content: user }];
  return [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: user },
        ...imageUrls.map((image_url) => ({
          type: 'input_image' as const,
          image_url,
          detail: 'auto' as const,
        })),
        ...(file
          ? [
              {
                type: 'input_file' as const,
                filename: file.name,
                file_data: `data:${file.mediaType};base64,${file.base64}`,
              },
            ]
          : []),
      ],
    },
  ];
};

const toAnswer = ({ output, output_text, usage, ...response }: Response): ClientAnswer => ({
  text: output_text,
  calls: output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
      : [],
  ),
  finishReason: response.incomplete_details?.reason ?? String(response.status),
  usage: { input: usage!.input_tokens, output: usage!.output_tokens },
  nativeAnswer: output,
});

/** A failure that a stream reports has no status, like the library's own errors of streams. */
const asApiError = (error: unknown): unknown =>
  error instanceof StreamFailure
    ? new OpenAI.APIError(undefined, undefined, error.message, undefined)
    : error;
