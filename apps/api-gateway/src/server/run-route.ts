import type { Request, RequestHandler, Response } from 'express';
import { isServiceError } from '@witan/contracts';
import { bindTrace, continueTrace, pickTraceHeaders, withSpan } from '@witan/service-kit';
import type { Log, OpenSpan } from '@witan/service-kit';
import { authenticate } from '../auth/authenticate.ts';
import type { KeyDirectory, Principal } from '../auth/authenticate.ts';
import { verifyScope } from '../auth/scope.ts';
import type { RequiredScope } from '../auth/scope.ts';
import { sendError } from '../errors/send-error.ts';
import { BODY_BYTES_MAX, createBodyReader } from '../http/read-body.ts';
import { isStreamed, isStrict, setIgnoredFieldsHeader, surfaceOf } from '../http/route.ts';
import type { BodyMemory, Reply, Route, RouteCall, Surface } from '../http/route.ts';
import { compileRoute } from '../http/validate.ts';
import { bytesOf, releaseWhenClosed } from './limits.ts';
import type { Limits } from './limits.ts';
import type { Respond, RunOnce } from './run-once.ts';

/** What the routes share. */
export type Edge = { keys: KeyDirectory; limits: Limits; runOnce: RunOnce; log: Log };

type Checks = ReturnType<typeof compileChecks>;

/** Returns the function that answers the requests of a route. */
export const createRunner = (route: Route, edge: Edge): RequestHandler => {
  const checks = compileChecks(route);
  const span = spanOf(route);
  return bindTrace((request, response) =>
    continueTrace(pickTraceHeaders(request.headers), () =>
      withSpan(span, (openSpan) =>
        runRequest(route, { edge, checks, openSpan }, request, response),
      ),
    ),
  );
};

const compileChecks = (route: Route) => ({
  ...compileRoute(route),
  readBody: createBodyReader({
    bytesMax: route.bodyBytesMax ?? BODY_BYTES_MAX,
    kind: route.surface === 'native' ? 'native' : 'gateway',
    uploads: Object.keys(route.uploads ?? {}),
  }),
});

type Serving = { edge: Edge; checks: Checks; openSpan: OpenSpan };

/**
 * Authenticates the caller if the route has scopes, validates the query, then reads and validates
 * the body, runs the handler, and sends its reply or its error.
 */
const runRequest = async (
  route: Route,
  { edge, checks, openSpan }: Serving,
  request: Request,
  response: Response,
): Promise<void> => {
  const exchange = openExchange(route, request, response);
  let memory: BodyMemory | undefined;
  try {
    const authorized = route.scopes && authorize(request, response, route.scopes, edge);
    const principal = authorized instanceof Promise ? await authorized : authorized;
    const query = { ...request.query };
    checks.query(query);
    if (route.limitsMemory) {
      memory = edge.limits.reserveMemory(principal!.workspaceId, bytesOf(request, route));
    }
    const abortController = abortOnDisconnect(response);
    const { signal } = abortController;
    const { requestId } = exchange;
    const admitted = { principal, query, memory, requestId, signal };
    // The body is a member of the call only, so that a handler can free it.
    const call = await openCall(admitted, checks, request, response);
    if (principal && isStreamed(route, call) && !response.closed) {
      response.once('close', edge.keys.watch(request.headers, abortController));
    }
    const reply = await runCall(route, call, edge, (work) => respond(exchange, edge.log, work));
    if (reply) sendReply(response, reply);
  } catch (error) {
    fail(exchange, edge.log, error);
  } finally {
    // The memory is not released with the connection, because a handler may use the body after its
    // client disconnected.
    if (memory && !memory.isRetained) memory.release();
  }
  recordResponse(response, openSpan);
};

/** A request that is answered, with the surface in whose format its errors are. */
type Exchange = { routeId: string; surface: Surface; requestId: string; response: Response };

const openExchange = (route: Route, request: Request, response: Response): Exchange => {
  const surface = surfaceOf(route, request);
  const requestId = String(response.locals.requestId);
  response.locals.route = route.id;
  // Clients of the messages dialect read the request id from this header.
  if (surface === 'messages') response.setHeader('request-id', requestId);
  return { routeId: route.id, surface, requestId, response };
};

/** Returns the caller, without a promise if its key is cached. */
const authorize = (
  request: Request,
  response: Response,
  scopes: readonly RequiredScope[],
  { keys, limits }: Edge,
): Principal | Promise<Principal> => {
  const verify = (principal: Principal): Principal => {
    // Workspace and key are set before the rate limit and the scopes are checked, so that the log
    // line of a call refused there has them.
    response.locals.workspaceId = principal.workspaceId;
    response.locals.keyId = principal.keyId;
    keys.onUsed(principal.keyId);
    limits.limitRate?.(principal.keyId, response);
    verifyScope(principal, scopes);
    return principal;
  };
  const principal = authenticate(request.headers, keys, Date.now());
  return principal instanceof Promise ? principal.then(verify) : verify(principal);
};

type Admitted = Pick<RouteCall, 'principal' | 'query' | 'memory' | 'requestId' | 'signal'>;

/** Reads and validates the body, if the route has one, and returns the call. */
const openCall = async (
  admitted: Admitted,
  checks: Checks,
  request: Request,
  response: Response,
): Promise<RouteCall> => {
  const params = { ...request.params } as Record<string, string>;
  if (!checks.body) {
    const noBody = { source: new Uint8Array(), text: '', body: {} };
    return { ...admitted, params, ...noBody, request, response };
  }
  const { isUpload, ...body } = await checks.readBody(request, response);
  if (!isUpload) {
    const ignored = checks.body(body.body, { isStrict: isStrict(request) });
    setIgnoredFieldsHeader(response, ignored);
  }
  return { ...admitted, params, ...body, request, response };
};

/**
 * Returns the controller of a call, which aborts it when the client disconnects, or, with
 * DrainLimitError as the reason, when a drain closes its connection. Listens to the response,
 * because a request emits `close` as soon as its body was read.
 */
const abortOnDisconnect = (response: Response): AbortController => {
  const abortController = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) abortController.abort(response.errored ?? undefined);
  });
  return abortController;
};

/**
 * Runs the handler of a validated call within its limits. If the call has an `Idempotency-Key`, it
 * runs once and is answered by `respond`; the key is ignored for a streamed response, because a
 * stream cannot be replayed.
 */
export const runCall = async (
  route: Route,
  call: RouteCall,
  { limits, runOnce }: Pick<Edge, 'limits' | 'runOnce'>,
  respond: Respond,
): Promise<Reply | undefined> => {
  const streamed = isStreamed(route, call);
  call.memory?.shrinkTo(call.source.length);
  if (streamed && route.limitsStreams) {
    releaseWhenClosed(call.response, limits.takeStream(call.principal!.keyId));
  }
  const isOnce = route.idempotent && !streamed && 'idempotency-key' in call.request.headers;
  if (!isOnce) return await route.handle(call);
  await runOnce(route, call, respond);
  return undefined;
};

/** Sends the reply that `work` returns, or the error that it throws. */
const respond = async (
  exchange: Exchange,
  log: Log,
  work: () => Promise<Reply | undefined>,
): Promise<void> => {
  try {
    const reply = await work();
    if (reply) sendReply(exchange.response, reply);
  } catch (error) {
    fail(exchange, log, error);
  }
};

const fail = (
  { routeId: route, surface, requestId, response }: Exchange,
  log: Log,
  error: unknown,
): void => {
  if (response.headersSent) {
    // The status has been sent already, so only a broken connection can signal the failure to the
    // client.
    response.destroy();
    response.locals.abortReason = isServiceError(error) ? error.reason : 'INTERNAL';
  } else {
    response.locals.reason = sendError(response, error, { surface, requestId }).reason;
  }
  if (isServiceError(error) && error.reason !== 'INTERNAL') return;
  log.error(
    { event: 'route_failed', err: error, requestId, route },
    'Route failed with an unexpected error',
  );
};

/** Sends the reply of a handler, with `application/json` unless the handler set another type. */
export const sendReply = (response: Response, reply: Reply): void => {
  response.status(reply.status);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if ('json' in reply) {
    response.json(reply.json);
    return;
  }
  if (!('text' in reply)) {
    response.end();
    return;
  }
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.end(reply.text);
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
const recordResponse = ({ statusCode, locals }: Response, span: OpenSpan): void => {
  const { requestId, workspaceId, reason, abortReason } = locals as Record<
    string,
    string | undefined
  >;
  span.setAttributes({
    'http.response.status_code': statusCode,
    'witan.request.id': requestId ?? '',
    'witan.workspace.id': workspaceId ?? '',
  });
  if (abortReason) span.fail(abortReason);
  else if (statusCode >= SERVER_ERRORS_FROM) span.fail(reason ?? String(statusCode));
};
