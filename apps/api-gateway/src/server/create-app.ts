import type { IncomingMessage } from 'node:http';
import { invalidRequest, ServiceError } from '@witan/contracts';
import express from 'express';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import type { Counter, Histogram } from 'prom-client';
import { newId } from '@witan/service-kit';
import { isSecure, readPresentedKeys } from '../auth/authenticate.ts';
import { sendError } from '../errors/send-error.ts';
import { createRunner } from './run-route.ts';
import type { Edge } from './run-route.ts';
import { surfaceOf } from '../http/route.ts';
import type { Route, Surface } from '../http/route.ts';

const REQUEST_ID = /^[A-Za-z0-9_-]{8,128}$/;

type AppOptions = Edge & {
  routes: readonly Route[];
  /** Serves the paths below `/console`, which are pages and no operations of the API. */
  console: RequestHandler;
  /** Serves the page `/verify`. */
  verifier: RequestHandler;
  metrics?: { requests: Counter<'route' | 'status'>; requestSeconds: Histogram<'route'> };
};

export const createApp = (options: AppOptions): Express => {
  const { routes } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // Paths are matched literally: otherwise a different spelling of a path could bypass an access
  // rule of a proxy.
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use((request, response, next) => {
    const requestedId = request.headers['x-request-id'];
    const isValid = typeof requestedId === 'string' && REQUEST_ID.test(requestedId);
    const requestId = isValid ? requestedId : newId('req');
    response.locals.requestId = requestId;
    response.locals.startedAt = performance.now();
    response.setHeader('x-request-id', requestId);
    setSecurityHeaders(request, response);
    logWhenDone(options, request, response);
    checkHead(request);
    next();
  });
  // `HEAD /` needs no API key, because some clients use it as a health check.
  app.head('/', (_request, response) => void response.status(200).end());
  app.use('/console', options.console);
  app.all('/verify', options.verifier);
  for (const route of routes) {
    app[route.method](toExpressPath(route), createRunner(route, options));
  }
  for (const methods of Map.groupBy(routes, (route) => route.path).values()) {
    app.all(toExpressPath(methods[0]!), refuseMethod(methods));
  }
  app.use((request: Request, response: Response) => {
    const error = new ServiceError('NOT_FOUND', `There is no ${request.method} ${request.path}.`);
    sendError(response, error, contextOf(response, findSurface(routes, request)));
  });
  // Handles errors outside of routes: those of `checkHead` and of Express itself, for example for a
  // malformed percent-encoding in the path.
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    const failure = toRequestError(error);
    sendError(response, failure, contextOf(response, findSurface(routes, request)));
  });
  return app;
};

const toExpressPath = ({ path, hasRest }: Pick<Route, 'path' | 'hasRest'>): string =>
  path.replace(/\{(\w+)\}$/, hasRest ? '*$1' : ':$1').replaceAll(/\{(\w+)\}/g, ':$1');

const refuseMethod =
  (routes: readonly Route[]) =>
  (request: Request, response: Response): void => {
    const allowed = [...new Set(routes.map(({ method }) => method.toUpperCase()))].join(', ');
    response.setHeader('allow', allowed);
    const message = `${request.method} is not allowed here; use ${allowed}.`;
    const error = new ServiceError('METHOD_NOT_ALLOWED', message);
    sendError(response, error, contextOf(response, surfaceOf(routes[0]!, request)));
  };

const contextOf = (response: Response, surface: Surface) => ({
  surface,
  requestId: String(response.locals.requestId),
});

/**
 * Returns the surface whose error format a request without a route gets: that of a route whose path
 * is a prefix of the request's path, if there is one.
 */
const findSurface = (routes: readonly Route[], request: Request): Surface => {
  const parentRoute = routes.find(({ path }) => `${request.path}/`.startsWith(`${path}/`));
  if (parentRoute) return surfaceOf(parentRoute, request);
  return request.path.startsWith('/v1/chat/') ? 'chat-completions' : 'native';
};

const toRequestError = (error: unknown): unknown => {
  const isMalformedPath = error instanceof URIError;
  return isMalformedPath ? new ServiceError('INVALID_REQUEST', 'The path is not valid.') : error;
};

/**
 * Logs one line when the response is closed, without the request's query, headers and body, and
 * counts it: as `client_left` if the connection was closed before the response was sent completely.
 */
const logWhenDone = (
  { log, metrics }: Pick<AppOptions, 'log' | 'metrics'>,
  request: Request,
  response: Response,
): void => {
  const { method, path } = request;
  response.on('close', () => {
    const tookMs = performance.now() - response.locals.startedAt;
    const durationMs = Math.round(tookMs);
    const { requestId, workspaceId, keyId, reason, provider, model } = response.locals;
    const { statusCode: status } = response;
    const isComplete = response.writableFinished;
    const context = { requestId, workspaceId, keyId, provider, model };
    const refused = status === 401 ? describeRefused(request) : undefined;
    const fields = { ...context, method, path, status, reason, durationMs, ...refused };
    if (isComplete) log.info({ event: 'request_finished', ...fields }, 'Response sent');
    else
      log.info(
        { event: 'response_aborted', ...fields },
        'The connection was closed before the end of the response',
      );
    const route = String(response.locals.route ?? 'none');
    metrics?.requests.inc({ route, status: isComplete ? status : 'client_left' });
    metrics?.requestSeconds.observe({ route }, tookMs / 1_000);
  });
};

/** Returns who sent refused credentials: the id of the key, which is no secret, and the address. */
const describeRefused = (request: Request) => ({
  refusedKeyId: readPresentedKeys(request.headers)[0]?.keyId,
  address: request.socket.remoteAddress,
});

/**
 * Headers that may occur only once: if a field is repeated, Node uses the first value or joins the
 * values, but a proxy may use the last.
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['authorization', 'host', 'x-api-key']);

/**
 * Throws INVALID_REQUEST for a request that a proxy may interpret differently: a repeated header
 * that identifies the caller or the host, or a fragment in the request target (RFC 9112, 3.2).
 */
const checkHead = ({ rawHeaders, url }: Pick<IncomingMessage, 'rawHeaders' | 'url'>): void => {
  if (url?.includes('#')) throw invalidRequest('The path must not hold a "#".');
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) throw invalidRequest(`The header ${name} is repeated; send it once.`);
    seen.add(name);
  }
};

const SECURITY_HEADERS = Object.entries({
  'x-content-type-options': 'nosniff',
  // Responses other than the API reference are no pages and need no sources; the reference sets its
  // own policy.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  // Shared caches may store a response to a request that authenticates with `x-api-key`, unlike one
  // with `Authorization`, so storing is forbidden unless the route sets another value.
  'cache-control': 'no-store',
});

const HSTS_VALUE = 'max-age=31536000';

const setSecurityHeaders = (request: Request, response: Response): void => {
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
  // Browsers ignore this response header over plain HTTP.
  if (isSecure(request.headers)) {
    response.setHeader('strict-transport-security', HSTS_VALUE);
  }
};
