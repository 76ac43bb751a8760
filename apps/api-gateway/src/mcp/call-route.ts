import type { Request } from 'express';
import { isServiceError } from '@witan/contracts';
import { parseExactly } from '@witan/dialects';
import { verifyScope } from '../auth/scope.ts';
import { sendError } from '../errors/send-error.ts';
import type { Reply, Route, RouteCall } from '../http/route.ts';
import { compileRoute } from '../http/validate.ts';
import type { Respond } from '../server/run-once.ts';
import { runCall, sendReply } from '../server/run-route.ts';
import type { Edge } from '../server/run-route.ts';
import { MemoryResponse } from './memory-response.ts';
import type { RouteResult } from './route-result.ts';

export type RouteInput = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  /** JSON text of the body, whose digits are preserved. */
  bodyText?: string;
  /** Makes a call of an idempotent route run once, as the header does. */
  idempotencyKey?: string | undefined;
};

/**
 * Calls an operation of the public API for the caller of another one. Scope, validation,
 * idempotency and errors are those of the operation; the key was verified and its rate limited by
 * the outer call. Failures are results, not rejections.
 */
export type CallRoute = (route: Route, input: RouteInput, outer: RouteCall) => Promise<RouteResult>;

export const createCallRoute = (edge: Pick<Edge, 'limits' | 'runOnce' | 'log'>): CallRoute => {
  const compiled = new Map<Route, ReturnType<typeof compileRoute>>();
  return async (route, input, outer) => {
    const checks = compiled.get(route) ?? compileRoute(route);
    compiled.set(route, checks);
    const memory = new MemoryResponse();
    const response = memory.asResponse();
    const respond = async (work: () => ReturnType<Route['handle']>): Promise<void> => {
      try {
        const reply = await work();
        if (reply) sendReply(response, reply);
      } catch (error) {
        sendError(response, error, { surface: 'native', requestId: outer.requestId });
        if (!isServiceError(error) || error.reason === 'INTERNAL') {
          const context = { err: error, requestId: outer.requestId, route: route.id };
          edge.log.error(
            { event: 'route_failed', ...context },
            'Route failed with an unexpected error',
          );
        }
      }
    };
    await respond(async () => {
      verifyScope(outer.principal!, route.scopes ?? []);
      const call = toInnerCall(route, input, { outer, response });
      checks.query(call.query);
      checks.body?.(call.body, { isStrict: false });
      return await runInner(route, call, edge, respond);
    });
    memory.close();
    const { body, ...head } = memory.read();
    return { ...head, json: body === '' ? null : parseExactly(body) };
  };
};

/** Runs the call with memory of its own, which the outer call reserved for its own body only. */
const runInner = async (
  route: Route,
  call: RouteCall,
  edge: Pick<Edge, 'limits' | 'runOnce'>,
  respond: Respond,
): Promise<Reply | undefined> => {
  if (!route.limitsMemory) return await runCall(route, call, edge, respond);
  const memory = edge.limits.reserveMemory(call.principal!.workspaceId, call.source.length);
  try {
    return await runCall(route, { ...call, memory }, edge, respond);
  } finally {
    if (!memory.isRetained) memory.release();
  }
};

const toInnerCall = (
  { method, path }: Route,
  { params = {}, query = {}, bodyText = '{}', idempotencyKey }: RouteInput,
  { outer, response }: Pick<RouteCall, 'response'> & { outer: RouteCall },
): RouteCall => {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const headers = {
    accept: 'application/json',
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
  // Inherits from the outer request, so that handlers find everything that they do not read from
  // the overridden members.
  const request = Object.create(outer.request, {
    method: { value: method.toUpperCase() },
    originalUrl: { value: url },
    headers: { value: headers },
  }) as Request;
  const source = Buffer.from(bodyText);
  const body = JSON.parse(bodyText) as Record<string, unknown>;
  return { ...outer, params, query: { ...query }, body, source, text: bodyText, request, response };
};
