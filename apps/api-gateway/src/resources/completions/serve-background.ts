import { invalidRequest, isServiceError, unavailable } from '@witan/contracts';
import type { CompleteEvent, Completed, Opened, ServiceError } from '@witan/contracts';
import { editMembers, encodeEmptyResponse, parseObject, responses } from '@witan/dialects';
import type { AnswerHead, AnswerPiece, JsonObject } from '@witan/dialects';
import type { FinishReason } from '@witan/proof';
import { newId } from '@witan/service-kit';
import type { Log } from '@witan/service-kit';
import type { Reply, RouteCall } from '../../http/route.ts';
import { abortReasonOf, watchKey } from '../../server/authorize.ts';
import type { CheckKey } from '../../server/authorize.ts';
import type { DetachedCalls } from '../../server/detached-calls.ts';
import type { TakeStream } from '../../server/limit-streams.ts';
import { expandRequest } from '../../stored-response/expand-request.ts';
import type { ExpandedRequest } from '../../stored-response/expand-request.ts';
import { readDialectRequest } from './dialect-request.ts';
import { toAnswerId } from './response-writer.ts';
import { openCompletion, toStored } from './serve-completion.ts';
import type { CompletionServices, Storing } from './serve-completion.ts';

export type BackgroundOptions = {
  timeoutMs: number;
  storing: Storing;
  detachedCalls: DetachedCalls;
  /** Throws UNAUTHENTICATED once the API key of a request is not valid any more. */
  checkKey: CheckKey;
  takeStream: TakeStream;
  log: Log;
};

/**
 * Returns the handler of responses in the background: it stores a queued response, answers with it,
 * and carries out the call without its client; the stored response, unless it was deleted, is
 * replaced when the call has ended. Until then it counts as a stream of its key, and ends as one
 * when the key is revoked. A crash leaves it queued, and its call is certified as `lost`.
 */
export const serveBackground =
  (
    services: CompletionServices,
    { timeoutMs, storing, detachedCalls, checkKey, takeStream, log }: BackgroundOptions,
  ) =>
  async (call: RouteCall): Promise<Reply> => {
    checkBackground(call.body);
    const { proofId = newId('pf'), principal, requestId, request } = call;
    if (!(await storing.isAllowed(principal!.workspaceId))) throw storingForbidden();
    const abortController = new AbortController();
    const signal = AbortSignal.any([detachedCalls.signal, abortController.signal]);
    const detachedCall = { ...call, proofId, signal };
    const expanded = await expandRequest(call, principal!, storing);
    const head = toHead(call);
    const announced = { provider: '', proofId };
    const origin = { workspaceId: principal!.workspaceId, requestId };
    const queued = encodeEmptyResponse(head, { status: 'queued' }) as JsonObject;
    // An invalid address is refused before anything is stored.
    readDialectRequest(call, responses.name);
    const release = takeStream(principal!.keyId);
    if (!(await storing.save(toStored(expanded, queued, announced), origin))) {
      release();
      throw unavailable('The response could not be stored; try again.');
    }
    const run = async (): Promise<void> => {
      const sent = toForeground(expanded);
      const { isLocal } = expanded.origin;
      const options = { timeoutMs, sent, isLocal };
      const events = await openCompletion(services, responses, detachedCall, options);
      const { response, opened = announced } = await collectResponse(events, head);
      await storing.replace(toStored(expanded, response, opened), origin);
    };
    const onFailure = async (err: unknown): Promise<void> => {
      log.warn(
        { event: 'background_response_failed', err, requestId },
        'A response in the background failed, it is stored as failed',
      );
      const failed = toFailed(head, messageOf(abortReasonOf(signal) ?? err));
      await storing.replace(toStored(expanded, failed, announced), origin);
    };
    const stopWatching = watchKey(request, { checkKey, abortController });
    const onEnd = (): void => {
      stopWatching();
      release();
    };
    void detachedCalls.track(run().catch(onFailure).finally(onEnd));
    return { status: 202, json: queued, headers: { 'x-service-proof': proofId } };
  };

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
const toForeground = ({ body, source }: ExpandedRequest): Pick<RouteCall, 'body' | 'source'> => {
  const { background: _, stream: __, ...others } = body;
  const text = editMembers(Buffer.from(source).toString(), { background: null, stream: null });
  return { body: others, source: Buffer.from(text) };
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

/** Returns the response that the events of a call have, and what opened it. */
const collectResponse = async (
  events: AsyncIterable<CompleteEvent>,
  head: AnswerHead,
): Promise<{ response: JsonObject; opened: Opened | undefined }> => {
  const pieces: AnswerPiece[] = [];
  const bytes: Buffer[] = [];
  let opened: Opened | undefined;
  let completed: Completed | undefined;
  let refusal = '';
  for await (const { event } of events) {
    if (event.case === 'opened') opened = event.value;
    else if (event.case === 'part') pieces.push(event.value.part as AnswerPiece);
    else if (event.case === 'wire') bytes.push(Buffer.from(event.value));
    else if (event.case === 'refused') refusal = event.value.message;
    else if (event.case === 'completed') completed = event.value;
  }
  const body = parseObject(Buffer.concat(bytes).toString());
  if (!opened || !completed || opened.status >= 300) {
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
    usage: completed.usage!,
    stopSequence: '',
    completed: nowInSeconds(),
    isStored: true,
  }) as JsonObject;
  return { response, opened };
};

const NOT_JSON = 'The answer of the provider is not a JSON object.';
const NO_MESSAGE = 'The provider refused the call and did not say why.';

const toFailed = (head: AnswerHead, message: string): JsonObject =>
  encodeEmptyResponse(head, { status: 'failed', message: message || NO_MESSAGE }) as JsonObject;

const messageOf = (error: unknown): string =>
  isServiceError(error) ? error.message : 'Something went wrong on our side.';
