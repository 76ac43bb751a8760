import type { Response } from 'express';
import type { CompleteEvent, Completed, Opened, ProviderRefusal } from '@witan/contracts';
import type {
  AnswerHead,
  AnswerPiece,
  AnswerTail,
  Endpoint,
  StreamEncoder,
  RequestSummary,
} from '@witan/dialects';
import type { FinishReason } from '@witan/proof';
import { setDroppedParamsHeader, toHeaderText } from '../../http/header-lists.ts';
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
};

type State = {
  dialect: Endpoint;
  call: RouteCall;
  request: RequestSummary;
  isStreaming: boolean;
  openedEvent: Opened | undefined;
  encoder: StreamEncoder | undefined;
  pieces: AnswerPiece[];
};

export const openResponseWriter = (dialect: Endpoint, call: RouteCall): ResponseWriter => {
  const state: State = {
    dialect,
    call,
    request: dialect.readRequest(call.body),
    isStreaming: false,
    openedEvent: undefined,
    encoder: undefined,
    pieces: [],
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
      writeEnd(state, event.value);
      return undefined;
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
  state.encoder = dialect.createStreamEncoder(toHead(openedEvent, request.wantsUsage));
  return write(state, state.encoder.open());
};

const writePiece = (state: State, piece: AnswerPiece): Promise<void> | undefined => {
  if (state.encoder) return write(state, state.encoder.piece(piece));
  state.pieces.push(piece);
  return undefined;
};

const writeEnd = (state: State, completed: Completed): void => {
  const { openedEvent, encoder, dialect, call } = state;
  if (!openedEvent?.neutral || openedEvent.status >= 300) return;
  const tail: AnswerTail = {
    finishReason: completed.finishReason as FinishReason,
    usage: completed.usage!,
    stopSequence: completed.stopSequence,
  };
  if (encoder) call.response.end(encoder.end(tail));
  else call.response.json(dialect.encodeResponse(toHead(openedEvent, true), state.pieces, tail));
};

const sendRefusal = ({ dialect, call, openedEvent }: State, refusal: ProviderRefusal): void => {
  const { requestId, response } = call;
  response.json(dialect.encodeRefusal(refusal, { requestId, status: openedEvent!.status }));
};

const toHead = (openedEvent: Opened, wantsUsage: boolean): AnswerHead => ({
  id: openedEvent.proofId.replace(/^pf_/, ''),
  model: openedEvent.model,
  created: Math.floor(Date.now() / 1_000),
  promptTokensEstimate: openedEvent.promptTokensEstimate,
  wantsUsage,
});

const write = (
  { call: { response, signal } }: State,
  bytes: Uint8Array | string,
): Promise<void> | undefined => writeChunk(response, bytes, signal);

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
