import type { Response } from 'express';
import type { AnswerCompleted, AnswerOpened, AnswerSink } from '@witan/contracts';
import type {
  AnswerHead,
  AnswerPiece,
  AnswerTail,
  Endpoint,
  JsonObject,
  StreamEncoder,
  RequestSummary,
  SentFrames,
} from '@witan/dialects';
import type { FinishReason } from '@witan/proof';
import { newId } from '@witan/service-kit';
import { setDroppedParamsHeader, toHeaderText } from '../../http/route.ts';
import { setEventStreamHeaders } from '../../server/stream-events.ts';
import type { RouteCall } from '../../http/route.ts';
import { writeChunk } from '../../http/write-chunk.ts';

/** Writes an answer to the response of its call as it arrives. */
export type ResponseWriter = AnswerSink & {
  /** Writes the end of an answer, whose certificate is durable, and stores it if it is to be. */
  end: (completed: AnswerCompleted) => Promise<void>;
  readonly isStreaming: boolean;
  /**
   * Frames that began the response and those with the last number, in a dialect with numbered
   * frames; else empty.
   */
  readonly sent: SentFrames;
};

type State = {
  dialect: Endpoint;
  call: RouteCall;
  /** Absent if the response is not to be stored. */
  save: Save | undefined;
  /**
   * Id of a response that is stored, without its prefix. It is not derived from the certificate's
   * id, which more keys may read.
   */
  storedId: string;
  request: RequestSummary;
  isStreaming: boolean;
  opened: AnswerOpened | undefined;
  encoder: StreamEncoder | undefined;
  pieces: AnswerPiece[];
  firstFrames: Frames | undefined;
  lastFrames: Frames | undefined;
};

/** Whole frames, as they were written. */
type Frames = Uint8Array | string;

/** Stores a converted response of a provider; resolves with false if that failed. */
type Save = (response: JsonObject, opened: AnswerOpened) => Promise<boolean>;

export const openResponseWriter = (
  dialect: Endpoint,
  call: RouteCall,
  save?: Save,
): ResponseWriter => {
  const state: State = {
    dialect,
    call,
    save,
    storedId: toAnswerId(newId('resp')),
    request: dialect.readRequest(call.body),
    isStreaming: false,
    opened: undefined,
    encoder: undefined,
    pieces: [],
    firstFrames: undefined,
    lastFrames: undefined,
  };
  const { response } = call;
  return {
    opened: (opened) => writeOpening(state, opened),
    bytes: (bytes) => {
      if (state.isStreaming) return write(state, bytes);
      response.end(bytes);
      return undefined;
    },
    piece: (piece) => writePiece(state, piece),
    refused: (refusal) => {
      const { requestId } = call;
      const { status } = state.opened!;
      response.json(dialect.encodeRefusal(refusal, { requestId, status }));
    },
    end: async (completed) => {
      await writeEnd(state, completed);
      if (!response.writableEnded) response.end();
    },
    get isStreaming() {
      return state.isStreaming;
    },
    get sent() {
      return { first: toText(state.firstFrames), last: toText(state.lastFrames) };
    },
  };
};

const writeOpening = (state: State, opened: AnswerOpened): void => {
  const { call, dialect, request } = state;
  state.opened = opened;
  // A neutral result is streamed if the client requested it; bytes of the provider are streamed if
  // the provider streams them.
  const isNeutral = opened.neutral && opened.status < 300;
  state.isStreaming = isNeutral ? request.streamed : opened.streamed;
  setHeaders(call.response, opened, state.isStreaming);
  if (!opened.neutral || !state.isStreaming) return;
  state.encoder = dialect.createStreamEncoder(toHead(state, opened));
  void write(state, state.encoder.open());
};

const writePiece = (state: State, piece: AnswerPiece): Promise<void> | undefined => {
  // A stored answer is collected even if it is streamed.
  if (!state.encoder || state.save) state.pieces.push(piece);
  return state.encoder && write(state, state.encoder.piece(piece));
};

const writeEnd = async (state: State, completed: AnswerCompleted): Promise<void> => {
  const { opened } = state;
  if (!opened?.neutral || opened.status >= 300) return;
  const tail: AnswerTail = {
    finishReason: completed.finishReason as FinishReason,
    usage: completed.usage,
    stopSequence: completed.stopSequence,
    completed: nowInSeconds(),
    isStored: state.save !== undefined,
  };
  if (state.save) await storeAnswer(state, toHead(state, opened), tail);
  else sendEnd(state, toHead(state, opened), tail);
};

/** Stores the answer before its end is sent, so that a client can refer to it. */
const storeAnswer = async (state: State, head: AnswerHead, tail: AnswerTail): Promise<void> => {
  const response = state.dialect.encodeResponse(head, state.pieces, tail) as JsonObject;
  const isStored = await state.save!(response, state.opened!);
  sendEnd(state, head, { ...tail, isStored });
};

const sendEnd = (
  { encoder, dialect, call, pieces }: State,
  head: AnswerHead,
  tail: AnswerTail,
): void => {
  if (encoder) call.response.end(encoder.end(tail));
  else call.response.json(dialect.encodeResponse(head, pieces, tail));
};

/** Returns an id without its prefix. */
export const toAnswerId = (id: string): string => id.slice(id.indexOf('_') + 1);

const toHead = ({ request, save, storedId }: State, opened: AnswerOpened): AnswerHead => ({
  id: save ? storedId : toAnswerId(opened.proofId),
  model: opened.model,
  created: nowInSeconds(),
  promptTokensEstimate: opened.promptTokensEstimate,
  wantsUsage: request.wantsUsage,
  ...(request.echo && { echo: request.echo }),
  isStored: save !== undefined,
});

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

const write = (state: State, frames: Frames): Promise<void> | undefined => {
  if (state.dialect.renumberFrame && frames.length > 0) recordFrames(state, frames);
  return writeChunk(state.call.response, frames, state.call.signal);
};

/**
 * Records the frames from which a dialect with numbered frames encodes a failure: the first with
 * the response, and the last with a number. A provider may send comments and events without either.
 * They are copied, because bytes may be a view of a buffer that is used again.
 */
const recordFrames = (state: State, frames: Frames): void => {
  const copy = typeof frames === 'string' ? frames : Buffer.from(frames);
  if (copy.includes('"sequence_number"')) state.lastFrames = copy;
  if (state.firstFrames === undefined && copy.includes('"response"')) state.firstFrames = copy;
};

const toText = (frames: Frames = ''): string =>
  typeof frames === 'string' ? frames : Buffer.from(frames).toString();

const setHeaders = (response: Response, opened: AnswerOpened, streaming: boolean): void => {
  response.status(opened.status);
  for (const [name, value] of Object.entries(opened.headers)) response.setHeader(name, value);
  response.setHeader('x-service-proof', opened.proofId);
  response.setHeader('x-service-model', toHeaderText(opened.model));
  response.setHeader('x-service-provider', toHeaderText(opened.provider));
  Object.assign(response.locals, { provider: opened.provider, model: opened.model });
  const overheadMs = performance.now() - response.locals.startedAt - opened.providerMs;
  response.setHeader('x-service-overhead-ms', Math.max(0, overheadMs).toFixed(2));
  setDroppedParamsHeader(response, opened.droppedParams);
  if (!streaming) {
    response.setHeader('content-type', 'application/json');
    return;
  }
  setEventStreamHeaders(response);
};
