import { invalidRequest, isServiceError, unavailable } from '@witan/contracts';
import type { AnswerCompleted, AnswerOpened, AnswerSink, ServiceError } from '@witan/contracts';
import { editMembers, encodeEmptyResponse, parseObject, responses } from '@witan/dialects';
import type { AnswerHead, AnswerPiece, JsonObject } from '@witan/dialects';
import type { FinishReason } from '@witan/proof';
import { newId, yieldAfter } from '@witan/service-kit';
import type { Log, ReleasePermit } from '@witan/service-kit';
import type { Principal, WatchKey } from '../../auth/authenticate.ts';
import { freeBody } from '../../http/read-body.ts';
import { abortReasonOf } from '../../http/route.ts';
import type { Reply, RouteCall } from '../../http/route.ts';
import type { DetachedCalls } from '../../server/detached-calls.ts';
import { expandRequest } from './expand-request.ts';
import type { ExpandedRequest } from './expand-request.ts';
import type {
  EndedResponse,
  ResponseStore,
  StoredResponse,
} from '../../stored-response/stored-response.ts';
import { readDialectRequest } from './dialect-request.ts';
import { toAnswerId } from './response-writer.ts';
import { LOCAL_PROVIDER, runCompletion, toStored } from './serve-completion.ts';
import type { CompletionServices, Storing } from './serve-completion.ts';

export type BackgroundOptions = {
  timeoutMs: number;
  storing: Storing & BackgroundStoring;
  detachedCalls: DetachedCalls;
  /** Takes what a key and its workspace may have at once; throws RATE_LIMITED beyond. */
  takeBackground: (principal: Principal) => ReleasePermit;
  watchKey: WatchKey;
  log: Log;
};

export type BackgroundStoring = {
  /** Throws RATE_LIMITED if the workspace's stored responses take their limit. */
  assertRoom: (workspaceId: string, bytes: number) => Promise<void>;
  saveQueued: ResponseStore['save'];
};

/**
 * Returns the handler of responses in the background: it carries out the call without its client.
 * When the call is routed and its tokens are reserved, it stores a queued response and answers with
 * it; a call that fails before is refused like any other. An agent's first call is not awaited.
 * The stored response, unless it was deleted, is replaced when the call has ended. Until then the
 * call counts as a stream of its key, and ends as one when the key is revoked. A crash leaves it
 * queued, and its call certified as `lost`.
 */
export const serveBackground =
  (services: CompletionServices, options: BackgroundOptions) =>
  async (call: RouteCall): Promise<Reply> => {
    checkBackground(call.body);
    const { storing, detachedCalls, takeBackground, watchKey } = options;
    const { proofId = newId('pf'), principal, source, memory } = call;
    const { workspaceId } = principal!;
    if (!(await storing.isAllowed(workspaceId))) throw storingForbidden();
    const { address } = readDialectRequest(call, responses.name);
    const release = takeBackground(principal!);
    const abortController = new AbortController();
    const signal = AbortSignal.any([detachedCalls.signal, abortController.signal]);
    try {
      await storing.assertRoom(workspaceId, source.length);
      const expanded = await expandRequest(call, principal!, storing);
      const head = toHead(call);
      const sent = await toForeground(expanded);
      const answer = openCollector(head, () => memory?.release());
      const reserved = Promise.withResolvers<void>();
      const running = runCompletion(
        services,
        responses,
        { ...call, proofId, signal },
        {
          timeoutMs: options.timeoutMs,
          sent,
          isLocal: expanded.origin.isLocal,
        },
        { ...answer.sink, reserved: reserved.resolve },
      );
      // Its failure is handled below, or when the call has ended.
      running.catch(() => {});
      if (address.kind !== 'agent') await Promise.race([reserved.promise, running]);
      const queued = encodeEmptyResponse(head, { status: 'queued' }) as JsonObject;
      const stored = toStored(expanded, queued, { provider: '', proofId });
      await storing.saveQueued(workspaceId, stored).catch((error: unknown) => {
        // The call may have been sent, so it is aborted and awaited.
        abortController.abort();
        void detachedCalls.track(running.then(ignore, ignore));
        throw isServiceError(error) ? error : notStored(error);
      });
      // The llm-gateway has the body until it is answered, so its memory stays reserved here. This
      // process needs it no more.
      if (memory) memory.isRetained = true;
      freeBody(call);
      const queuedCall = { call, head, stored: toEnd(stored), signal };
      const stopWatching = watchKey(call.request.headers, abortController);
      const ended = running.then(answer.toResponse);
      const run = finishCall(queuedCall, ended, options).finally(() => memory?.release());
      void detachedCalls.track(run.finally(stopWatching).finally(release));
      return { status: 202, json: queued, headers: { 'x-service-proof': proofId } };
    } catch (error) {
      abortController.abort();
      release();
      throw error;
    }
  };

/** What a response in the background needs when it ends; its input is stored. */
type QueuedCall = {
  call: Pick<RouteCall, 'principal' | 'requestId'>;
  head: AnswerHead;
  stored: EndedResponse;
  signal: AbortSignal;
};

const toEnd = ({ id, proofId, response, isLocal, modules }: StoredResponse): EndedResponse => ({
  ...{ id, proofId, response, isLocal, modules },
});

const ignore = (): void => {};

/** Stores the response of a call when it has ended, as failed if it failed; never rejects. */
const finishCall = async (
  { call: { principal, requestId }, head, stored, signal }: QueuedCall,
  answered: Promise<CollectedResponse>,
  { storing, log }: BackgroundOptions,
): Promise<void> => {
  let ended: EndedResponse;
  try {
    const { response, opened } = await answered;
    const isLocal = stored.isLocal || opened?.provider === LOCAL_PROVIDER;
    ended = { ...stored, response, proofId: opened?.proofId ?? stored.proofId, isLocal };
  } catch (err) {
    log.warn(
      { event: 'background_response_failed', err, requestId },
      'A response in the background failed, it is stored as failed',
    );
    ended = { ...stored, response: toFailed(head, messageOf(abortReasonOf(signal) ?? err)) };
  }
  await storing.replace(ended, { workspaceId: principal!.workspaceId, requestId });
};

const notStored = (cause: unknown): ServiceError =>
  unavailable('The response could not be stored; try again.', cause);

const checkBackground = ({ store, stream }: JsonObject): void => {
  if (store === false) {
    throw invalidRequest('store: a response in the background must be stored.', { param: 'store' });
  }
  if (stream === true) {
    throw invalidRequest('stream: a response in the background is not streamed; read it later.', {
      param: 'stream',
    });
  }
};

const storingForbidden = (): ServiceError =>
  invalidRequest(
    'background: a response in the background must be stored, which this workspace forbids.',
    { param: 'background', code: 'storing_forbidden' },
  );

/** Returns the request without the members that a call that is not in the background lacks. */
const toForeground = async ({
  body,
  source,
}: ExpandedRequest): Promise<Pick<RouteCall, 'body' | 'source'>> => {
  const { background: _, stream: __, ...others } = body;
  const text = editMembers(Buffer.from(source).toString(), { background: null, stream: null });
  await yieldAfter(text.length);
  const edited = Buffer.from(text);
  await yieldAfter(text.length);
  return { body: others, source: edited };
};

const toHead = ({ body }: RouteCall): AnswerHead => ({
  id: toAnswerId(newId('resp')),
  model: String(body.model),
  created: nowInSeconds(),
  promptTokensEstimate: 0,
  wantsUsage: true,
  echo: responses.readRequest(body).echo ?? {},
  isStored: true,
});

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

type CollectedResponse = { response: JsonObject; opened: AnswerOpened | undefined };

/**
 * Collects the answer of a call, and returns the response that it is. Calls `onOpened` when the
 * answer begins.
 */
const openCollector = (head: AnswerHead, onOpened: () => void) => {
  const pieces: AnswerPiece[] = [];
  const bytes: Buffer[] = [];
  let opened: AnswerOpened | undefined;
  let refusal = '';
  const sink: AnswerSink = {
    opened: (value) => {
      opened = value;
      onOpened();
    },
    bytes: (chunk) => {
      bytes.push(Buffer.from(chunk));
      return undefined;
    },
    piece: (piece) => {
      pieces.push(piece);
      return undefined;
    },
    refused: ({ message }) => {
      refusal = message;
    },
  };
  const toResponse = (completed: AnswerCompleted): CollectedResponse => {
    const body = parseObject(Buffer.concat(bytes).toString());
    if (!opened || opened.status >= 300) {
      const message = refusal || responses.decodeError(body ?? {}).message;
      return { response: toFailed(head, message), opened };
    }
    // A provider's own response keeps everything but its id, under which it is not stored here.
    if (!opened.neutral) {
      const response = body
        ? { ...body, id: `resp_${head.id}`, background: true }
        : toFailed(head, NOT_JSON);
      return { response, opened };
    }
    const response = responses.encodeResponse({ ...head, model: opened.model }, pieces, {
      finishReason: completed.finishReason as FinishReason,
      usage: completed.usage,
      stopSequence: '',
      completed: nowInSeconds(),
      isStored: true,
    }) as JsonObject;
    return { response, opened };
  };
  return { sink, toResponse };
};

const NOT_JSON = 'The answer of the provider is not a JSON object.';
const NO_MESSAGE = 'The provider refused the call and did not say why.';

const toFailed = (head: AnswerHead, message: string): JsonObject =>
  encodeEmptyResponse(head, { status: 'failed', message: message || NO_MESSAGE }) as JsonObject;

const messageOf = (error: unknown): string =>
  isServiceError(error) ? error.message : 'Something went wrong on our side.';
