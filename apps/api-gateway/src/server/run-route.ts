import type { Request, RequestHandler, Response } from 'express';
import { isServiceError } from '@witan/contracts';
import { bindTrace, continueTrace, pickTraceHeaders, withSpan } from '@witan/service-kit';
import type { Log, OpenSpan } from '@witan/service-kit';
import { sendError } from '../errors/send-error.ts';
import { isStrict, setIgnoredFieldsHeader } from '../http/header-lists.ts';
import { BODY_BYTES_MAX, createBodyReader } from '../http/read-body.ts';
import type { ReadBody } from '../http/read-body.ts';
import type { Respond, RunOnce } from './run-once.ts';
import { sendReply } from './send-reply.ts';
import { isStreamed, surfaceOf } from '../http/route.ts';
import type { Route, RouteCall, Surface } from '../http/route.ts';
import { compileRoute } from '../http/validate.ts';
import type { RouteChecks } from '../http/validate.ts';
import { watchKey } from './authorize.ts';
import type { KeyChecks } from './authorize.ts';

type Checks = KeyChecks & RouteChecks & { readBody: ReadBody };

export const createRunner = (
  route: Route,
  { authorize, checkKey, runOnce, log }: KeyChecks & { runOnce: RunOnce; log: Log },
): RequestHandler => {
  const checks: Checks = {
    authorize,
    checkKey,
    ...compileRoute(route),
    readBody: createBodyReader({
      bytesMax: route.bodyBytesMax ?? BODY_BYTES_MAX,
      kind: route.surface === 'native' ? 'native' : 'gateway',
      uploads: Object.keys(route.uploads ?? {}),
    }),
  };
  const span = spanOf(route);
  return bindTrace(async (request, response) => {
    response.locals.route = route.id;
    const requestId = String(response.locals.requestId);
    const surface = surfaceOf(route, request);
    setRequestIdHeader(response, { surface, requestId });
    let abortReason: string | undefined;
    const respond: Respond = async (work) => {
      try {
        const reply = await work();
        if (reply) sendReply(response, reply);
      } catch (error) {
        const context = { surface, requestId };
        if (response.headersSent) {
          // The status has been sent already, so only a broken connection can signal the failure to
          // the client.
          response.destroy();
          abortReason = isServiceError(error) ? error.reason : 'INTERNAL';
        } else {
          response.locals.reason = sendError(response, error, context).reason;
        }
        if (!isServiceError(error) || error.reason === 'INTERNAL') {
          log.error(
            { event: 'route_failed', err: error, requestId, route: route.id },
            'Route failed with an unexpected error',
          );
        }
      }
    };
    const run = (): Promise<void> =>
      withSpan(span, async (openSpan) => {
        await respond(async () => {
          const call = await openCall(route, checks, request, response);
          return await runOnce(route, call, respond);
        });
        recordResponse(response, abortReason, openSpan);
      });
    await continueTrace(pickTraceHeaders(request.headers), run);
  });
};

/**
 * Returns the name and attributes of a route's trace span. Of the path they contain only the
 * template, because an actual path contains data of the caller.
 */
const spanOf = ({ id, method, path }: Route) =>
  ({
    name: `${method.toUpperCase()} ${path}`,
    role: 'server',
    attributes: {
      'http.request.method': method.toUpperCase(),
      'http.route': path,
      'witan.route': id,
    },
  }) as const;

const SERVER_ERRORS_FROM = 500;

/**
 * Records the response on the trace span. By OpenTelemetry's conventions a 4xx is not an error of
 * the server span.
 */
const recordResponse = (
  { statusCode, locals }: Response,
  abortReason: string | undefined,
  span: OpenSpan,
): void => {
  const { requestId, workspaceId, reason } = locals as Record<string, string | undefined>;
  span.setAttributes({
    'http.response.status_code': statusCode,
    'witan.request.id': requestId ?? '',
    'witan.workspace.id': workspaceId ?? '',
  });
  if (abortReason) span.fail(abortReason);
  else if (statusCode >= SERVER_ERRORS_FROM) span.fail(reason ?? String(statusCode));
};

/** Sets `request-id`, the header from which clients of the messages dialect read the request id. */
const setRequestIdHeader = (
  response: Response,
  context: { surface: Surface; requestId: string },
): void => {
  if (context.surface === 'messages') response.setHeader('request-id', context.requestId);
};

/**
 * Authenticates the caller if the route has scopes, validates the query, then reads and validates
 * the body. Aborts a stream when its key is revoked or expires.
 */
const openCall = async (
  route: Route,
  checks: Checks,
  request: Request,
  response: Response,
): Promise<RouteCall> => {
  const principal = route.scopes && (await checks.authorize(request, response, route.scopes));
  const params = { ...request.params } as Record<string, string>;
  const query = { ...request.query };
  checks.query(query);
  route.admit?.({ principal, request, response });
  const { source, text, body, isUpload } = checks.body
    ? await checks.readBody(request, response)
    : { source: new Uint8Array(), text: '', body: {} };
  const ignored = isUpload ? [] : checks.body?.(body, { isStrict: isStrict(request) });
  setIgnoredFieldsHeader(response, ignored ?? []);
  const abortController = new AbortController();
  abortOnDisconnect(response, abortController);
  const call: RouteCall = {
    params,
    query,
    body,
    source,
    text,
    principal,
    requestId: String(response.locals.requestId),
    signal: abortController.signal,
    request,
    response,
  };
  if (principal && isStreamed(route, call) && !response.closed) {
    const stop = watchKey(request, { checkKey: checks.checkKey, abortController });
    response.once('close', stop);
  }
  return call;
};

/**
 * Aborts the call when the client disconnects, or, with DrainLimitError as the reason, when a drain
 * closes its connection. Listens to the response, because a request emits `close` as soon as its
 * body was read.
 */
const abortOnDisconnect = (response: Response, abortController: AbortController): void => {
  response.on('close', () => {
    if (!response.writableFinished) abortController.abort(response.errored ?? undefined);
  });
};
