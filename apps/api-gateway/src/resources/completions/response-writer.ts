import type { Response } from 'express';
import type { CompleteEvent, Completed, Opened, ProviderRefusal } from '@witan/contracts';
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

export type ResponseWriter = {
  /**
   * Writes an event to the response. Returns a promise to await if the client reads slower than the
   * provider writes.
   */
  take: (event: CompleteEvent['event']) => Promise<void> | undefined;
  end: () => void;
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
  openedEvent: Opened | undefined;
  encoder: StreamEncoder | undefined;
  pieces: AnswerPiece[];
  firstFrames: Frames | undefined;
  lastFrames: Frames | undefined;
};

/** Whole frames, as they were written. */
type Frames = Uint8Array | string;

/** Stores a converted response of a provider; resolves with false if that failed. */
type Save = (response: JsonObject, opened: Opened) => Promise<boolean>;

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
    openedEvent: undefined,
    encoder: undefined,
    pieces: [],
    firstFrames: undefined,
    lastFrames: undefined,
  };
  const { response } = call;
  return {
    take: (event) => writeEvent(state, event),
    end: () => {
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

const writeEvent = (state: State, event: CompleteEvent['event']): Promise<void> | undefined => {
  switch (event.case) {
    case 'opened':
      return writeOpening(state, event.value);
    case 'wire':
      if (state.isStreaming) return write(state, event.value);
      state.call.response.end(event.value);
      return undefined;
    case 'part':
      return writePiece(state, event.value.part as AnswerPiece);
    case 'refused':
      sendRefusal(state, event.value);
      return undefined;
    case 'completed':
      return writeEnd(state, event.value);
    default:
      return undefined;
  }
};

const writeOpening = (state: State, openedEvent: Opened): Promise<void> | undefined => {
  const { call, dialect, request } = state;
  const { response } = call;
  state.openedEvent = openedEvent;
  // A neutral result is streamed if the client requested it; bytes of the provider are streamed if
  // the provider streams them.
  const isNeutral = openedEvent.neutral && openedEvent.status < 300;
  state.isStreaming = isNeutral ? request.streamed : openedEvent.streamed;
  setHeaders(response, openedEvent, state.isStreaming);
  if (!openedEvent.neutral || !state.isStreaming) return undefined;
  state.encoder = dialect.createStreamEncoder(toHead(state, openedEvent));
  return write(state, state.encoder.open());
};

const writePiece = (state: State, piece: AnswerPiece): Promise<void> | undefined => {
  // A stored answer is collected even if it is streamed.
  if (!state.encoder || state.save) state.pieces.push(piece);
  return state.encoder && write(state, state.encoder.piece(piece));
};

const writeEnd = (state: State, completed: Completed): Promise<void> | undefined => {
  const { openedEvent } = state;
  if (!openedEvent?.neutral || openedEvent.status >= 300) return undefined;
  const tail: AnswerTail = {
    finishReason: completed.finishReason as FinishReason,
    usage: completed.usage!,
    stopSequence: completed.stopSequence,
    completed: nowInSeconds(),
    isStored: state.save !== undefined,
  };
  if (state.save) return storeAnswer(state, toHead(state, openedEvent), tail);
  sendEnd(state, toHead(state, openedEvent), tail);
  return undefined;
};

/** Stores the answer before its end is sent, so that a client can refer to it. */
const storeAnswer = async (state: State, head: AnswerHead, tail: AnswerTail): Promise<void> => {
  const response = state.dialect.encodeResponse(head, state.pieces, tail) as JsonObject;
  const isStored = await state.save!(response, state.openedEvent!);
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

const sendRefusal = ({ dialect, call, openedEvent }: State, refusal: ProviderRefusal): void => {
  const { requestId, response } = call;
  response.json(dialect.encodeRefusal(refusal, { requestId, status: openedEvent!.status }));
};

/** Returns an id without its prefix. */
export const toAnswerId = (id: string): string => id.slice(id.indexOf('_') + 1);

const toHead = ({ request, save, storedId }: State, openedEvent: Opened): AnswerHead => ({
  id: save ? storedId : toAnswerId(openedEvent.proofId),
  model: openedEvent.model,
  created: nowInSeconds(),
  promptTokensEstimate: openedEvent.promptTokensEstimate,
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

const setHeaders = (response: Response, openedEvent: Opened, streaming: boolean): void => {
  response.status(openedEvent.status);
  for (const [name, value] of Object.entries(openedEvent.headers)) response.setHeader(name, value);
  response.setHeader('x-service-proof', openedEvent.proofId);
  response.setHeader('x-service-model', toHeaderText(openedEvent.model));
  response.setHeader('x-service-provider', toHeaderText(openedEvent.provider));
  Object.assign(response.locals, { provider: openedEvent.provider, model: openedEvent.model });
  const overheadMs = performance.now() - response.locals.startedAt - openedEvent.providerMs;
  response.setHeader('x-service-overhead-ms', Math.max(0, overheadMs).toFixed(2));
  setDroppedParamsHeader(response, openedEvent.droppedParams);
  if (!streaming) {
    response.setHeader('content-type', 'application/json');
    return;
  }
  setEventStreamHeaders(response);
};
