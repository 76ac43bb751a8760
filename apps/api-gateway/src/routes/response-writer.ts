import type { Response } from 'express';
import type { CompleteEvent, Completed, Opened, ProviderRefusal } from '@witan/contracts';
import type {
  AnswerHead,
  AnswerPiece,
  AnswerTail,
  Dialect,
  StreamEncoder,
  RequestSummary,
} from '@witan/dialects';
import type { FinishReason } from '@witan/proof';
import { setDroppedParamsHeader } from '../http/dropped-params.ts';
import { setEventStreamHeaders } from '../http/event-stream.ts';
import { toHeaderText } from '../http/header-text.ts';
import type { RouteCall } from '../http/route.ts';
import { writeChunk } from '../http/write-chunk.ts';

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
  dialect: Dialect;
  call: RouteCall;
  request: RequestSummary;
  isStreaming: boolean;
  opened: Opened | undefined;
  encoder: StreamEncoder | undefined;
  pieces: AnswerPiece[];
};

export const openResponseWriter = (dialect: Dialect, call: RouteCall): ResponseWriter => {
  const state: State = {
    dialect,
    call,
    request: dialect.readRequest(call.body),
    isStreaming: false,
    opened: undefined,
    encoder: undefined,
    pieces: [],
  };
  const { response } = call;
  return {
    take: (event) => takeEvent(state, event),
    end: () => {
      if (!response.writableEnded) response.end();
    },
    get isStreaming() {
      return state.isStreaming;
    },
  };
};

const takeEvent = (state: State, event: CompleteEvent['event']): Promise<void> | undefined => {
  switch (event.case) {
    case 'opened':
      return open(state, event.value);
    case 'wire':
      if (state.isStreaming) return write(state, event.value);
      state.call.response.end(event.value);
      return undefined;
    case 'part':
      return takePiece(state, event.value.part as AnswerPiece);
    case 'refused':
      sendRefusal(state, event.value);
      return undefined;
    case 'completed':
      complete(state, event.value);
      return undefined;
    default:
      return undefined;
  }
};

const open = (state: State, opened: Opened): Promise<void> | undefined => {
  const { call, dialect, request } = state;
  const { response } = call;
  state.opened = opened;
  // A neutral result is streamed if the client requested it; bytes of the provider are streamed if
  // the provider streams them.
  const isNeutral = opened.neutral && opened.status < 300;
  state.isStreaming = isNeutral ? request.streamed : opened.streamed;
  setHeaders(response, opened, state.isStreaming);
  if (!opened.neutral || !state.isStreaming) return undefined;
  state.encoder = dialect.createStreamEncoder(toHead(opened, request.wantsUsage));
  return write(state, state.encoder.open());
};

const takePiece = (state: State, piece: AnswerPiece): Promise<void> | undefined => {
  if (state.encoder) return write(state, state.encoder.piece(piece));
  state.pieces.push(piece);
  return undefined;
};

const complete = (state: State, completed: Completed): void => {
  const { opened, encoder, dialect, call } = state;
  if (!opened?.neutral || opened.status >= 300) return;
  const tail: AnswerTail = {
    finishReason: completed.finishReason as FinishReason,
    usage: completed.usage!,
    stopSequence: completed.stopSequence,
  };
  if (encoder) call.response.end(encoder.end(tail));
  else call.response.json(dialect.encodeResponse(toHead(opened, true), state.pieces, tail));
};

const sendRefusal = ({ dialect, call, opened }: State, refusal: ProviderRefusal): void => {
  const { requestId, response } = call;
  response.json(dialect.encodeRefusal(refusal, { requestId, status: opened!.status }));
};

const toHead = (opened: Opened, wantsUsage: boolean): AnswerHead => ({
  id: opened.proofId.replace(/^pf_/, ''),
  model: opened.model,
  created: Math.floor(Date.now() / 1_000),
  promptTokensEstimate: opened.promptTokensEstimate,
  wantsUsage,
});

const write = (
  { call: { response, signal } }: State,
  bytes: Uint8Array | string,
): Promise<void> | undefined => writeChunk(response, bytes, signal);

const setHeaders = (response: Response, opened: Opened, streaming: boolean): void => {
  response.status(opened.status);
  for (const [name, value] of Object.entries(opened.headers)) response.setHeader(name, value);
  response.setHeader('x-service-proof', opened.proofId);
  response.setHeader('x-service-model', toHeaderText(opened.model));
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
