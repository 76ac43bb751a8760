import { toChatChunks, toChatCompletion, toMessage, toMessageEvents } from '@witan/testing';
import type { ChatAnswer, MessageAnswer } from '@witan/testing';
import { ServiceError } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import type { ProviderAnswer, ProviderRequest } from '../src/domain/completion/ports.ts';

type Pieces = AsyncIterable<string> | readonly string[];
type ReplyOptions = Partial<Pick<ProviderAnswer, 'status' | 'headers'>>;

/** What a provider answers with these pieces of a body: plain JSON unless said otherwise. */
export const answerOf = (pieces: Pieces, options: ReplyOptions = {}): ProviderAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: toBytes(pieces),
  ...options,
});

/** An event stream of these frames, each in a piece of its own. */
export const streamOf = (frames: Pieces): ProviderAnswer =>
  answerOf(frames, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });

async function* toBytes(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** A refusal with the error body of its dialect. */
export const refusalOf = (
  status: number,
  dialect: DialectName = 'chat-completions',
  headers: Record<string, string> = {},
): ProviderAnswer => answerOf([JSON.stringify(ERROR[dialect])], { status, headers });

const ERROR: Readonly<Record<DialectName, object>> = {
  'chat-completions': {
    error: { message: 'No.', type: 'server_error', param: 'top_k', code: 'no_way' },
  },
  messages: { type: 'error', error: { type: 'overloaded_error', message: 'No.' } },
};

export const DONE = 'data: [DONE]\n\n';

/** A frame of a chat-completions stream. */
export const chatFrame = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** A frame of a messages stream; its name is its type. */
export const messageFrame = (event: { type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** The frames of a whole stream that says this. */
export const chatFrames = (answer: ChatAnswer = {}, includeUsage = true): string[] => [
  ...toChatChunks(answer, { includeUsage }).map(chatFrame),
  DONE,
];

/** The frames of a whole stream that says this. */
export const messageFrames = (answer: MessageAnswer = {}): string[] =>
  toMessageEvents(answer).map(messageFrame);

/** What a provider says, in the way that the body asks for. */
export const replyInMessages = (answer: MessageAnswer, body: Uint8Array): ProviderAnswer =>
  wantsStream(body)
    ? streamOf(messageFrames(answer))
    : answerOf([JSON.stringify(toMessage(answer))]);

/** The same in the chat-completions dialect. */
export const replyInChat = (answer: ChatAnswer, body: Uint8Array): ProviderAnswer =>
  wantsStream(body)
    ? streamOf(chatFrames(answer))
    : answerOf([JSON.stringify(toChatCompletion(answer))]);

const wantsStream = (body: Uint8Array): boolean =>
  (JSON.parse(Buffer.from(body).toString()) as { stream?: boolean }).stream === true;

export const unreachable = (): ServiceError =>
  new ServiceError('PROVIDER_UNREACHABLE', 'Nobody is there.');
export const timedOut = (): ServiceError => new ServiceError('PROVIDER_TIMEOUT', 'Too slow.');
export const cutOff = (): ServiceError => new ServiceError('PROVIDER_STREAM_CUT', 'Cut off.');

/** A reply that is none. */
export const failing =
  (failure: () => Error) =>
  (_call?: ProviderRequest): never => {
    throw failure();
  };

/** Pieces that are followed by a failure. */
export async function* thenFail(
  pieces: readonly string[],
  failure: () => Error,
): AsyncGenerator<string> {
  yield* pieces;
  throw failure();
}
