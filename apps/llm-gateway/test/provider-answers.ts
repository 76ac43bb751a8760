import { toChatChunks, toChatCompletion, toMessage, toMessageEvents } from '@witan/testing';
import { toResponse, toResponseEvents } from '@witan/testing';
import type { ChatAnswer, MessageAnswer, ResponseAnswer } from '@witan/testing';
import { ServiceError } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import { bodyOf } from '../src/provider/provider.ts';
import type { ProviderAnswer, ProviderRequest } from '../src/provider/provider.ts';

type Pieces = AsyncIterable<string> | readonly string[];
type ReplyOptions = Partial<Pick<ProviderAnswer, 'status' | 'headers'>>;

export const answerOf = (pieces: Pieces, options: ReplyOptions = {}): ProviderAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: bodyOf(toBytes(pieces)),
  ...options,
});

export const streamOf = (frames: Pieces): ProviderAnswer =>
  answerOf(frames, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });

async function* toBytes(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

export const refusalOf = (
  status: number,
  dialect: DialectName = 'chat-completions',
  headers: Record<string, string> = {},
): ProviderAnswer => answerOf([JSON.stringify(ERROR[dialect])], { status, headers });

const OPENAI_ERROR = {
  error: { message: 'No.', type: 'server_error', param: 'top_k', code: 'no_way' },
};
const ERROR: Readonly<Record<DialectName, object>> = {
  'chat-completions': OPENAI_ERROR,
  responses: OPENAI_ERROR,
  messages: { type: 'error', error: { type: 'overloaded_error', message: 'No.' } },
};

export const DONE = 'data: [DONE]\n\n';

export const chatFrame = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

export const messageFrame = (event: { type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const chatFrames = (answer: ChatAnswer = {}, includeUsage = true): string[] => [
  ...toChatChunks(answer, { includeUsage }).map(chatFrame),
  DONE,
];

export const messageFrames = (answer: MessageAnswer = {}): string[] =>
  toMessageEvents(answer).map(messageFrame);

/** Frames of a stream in the responses dialect, without `[DONE]`, as OpenAI sends it. */
export const responseFrames = (answer: ResponseAnswer = {}): string[] =>
  toResponseEvents(answer).map(messageFrame);

export const replyInResponses = (answer: ResponseAnswer, body: Uint8Array): ProviderAnswer =>
  wantsStream(body)
    ? streamOf(responseFrames(answer))
    : answerOf([JSON.stringify(toResponse(answer))]);

export const replyInMessages = (answer: MessageAnswer, body: Uint8Array): ProviderAnswer =>
  wantsStream(body)
    ? streamOf(messageFrames(answer))
    : answerOf([JSON.stringify(toMessage(answer))]);

export const replyInChat = (answer: ChatAnswer, body: Uint8Array): ProviderAnswer =>
  wantsStream(body)
    ? streamOf(chatFrames(answer))
    : answerOf([JSON.stringify(toChatCompletion(answer))]);

const wantsStream = (body: Uint8Array): boolean =>
  (JSON.parse(Buffer.from(body).toString()) as { stream?: boolean }).stream === true;

export const unreachable = (): ServiceError =>
  new ServiceError('PROVIDER_UNREACHABLE', 'No connection.');
export const timedOut = (): ServiceError => new ServiceError('PROVIDER_TIMEOUT', 'Too slow.');
export const streamCutError = (): ServiceError =>
  new ServiceError('PROVIDER_STREAM_CUT', 'Cut off.');

export const failing =
  (failure: () => Error) =>
  (_call?: ProviderRequest): never => {
    throw failure();
  };

export async function* yieldThenFail(
  pieces: readonly string[],
  failure: () => Error,
): AsyncGenerator<string> {
  yield* pieces;
  throw failure();
}
