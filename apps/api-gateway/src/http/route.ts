import type { Request, Response } from 'express';
import type { DialectName } from '@witan/dialects';
import type { Principal } from '../domain/key/authenticate.ts';
import type { NeededScope } from '../domain/key/scope.ts';

/** A JSON Schema (2020-12), as it stands in the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A body that is a stream. OpenAPI 3.1 has no word for the items of one, and tools that know later
 * versions would take a schema of the text for that of each item: so it says nothing of either.
 */
export const STREAM: JsonSchema = { description: 'Read item by item: see the answer' };

/** Which family of clients a path serves; decides the shape of its errors. */
export type Surface = 'native' | DialectName;

/** One documented answer of a route. */
export type RouteResponse = {
  description: string;
  /** Content type by default `application/json`. */
  contentType?: string;
  /** Content type of the other form that the answer may have: a stream of text. */
  streamedAs?: string;
  schema?: JsonSchema;
  headers?: Readonly<Record<string, string>>;
};

/** Answers by status; `4XX` and `5XX` stand for those of a provider that are passed on. */
export type RouteResponses = Readonly<Record<number, RouteResponse>> & {
  readonly '4XX'?: RouteResponse;
  readonly '5XX'?: RouteResponse;
};

/** What a handler gets: everything in it has been checked. */
export type RouteCall = {
  params: Readonly<Record<string, string>>;
  /** Query parameters, coerced to the types of their schema. */
  query: Readonly<Record<string, unknown>>;
  /** The parsed body; `{}` when the route takes none. */
  body: Record<string, unknown>;
  /** The body's bytes as sent. */
  source: Uint8Array;
  /** Who calls; routes without authentication have none. */
  principal: Principal | undefined;
  requestId: string;
  /** Aborts when the client goes away. */
  signal: AbortSignal;
  request: Request;
  response: Response;
  /** What the call spends under; absent: an id of its own. */
  proofId?: string;
};

/**
 * A whole answer; `text` is sent as it is, 204 has no body. Nothing: the handler has answered by
 * itself.
 */
export type Reply =
  | { status: number; json: unknown; headers?: Readonly<Record<string, string>> }
  | { status: number; text: string; headers?: Readonly<Record<string, string>> }
  | { status: 204; headers?: Readonly<Record<string, string>> };

/**
 * One operation of the public API, declared once: the router, the validation, the OpenAPI document
 * and the tests all read this.
 */
export type Route = {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** OpenAPI form: `/v1/proofs/{id}`. */
  path: string;
  surface: Surface;
  /** For a path that serves several families of clients: which one this is. */
  surfaceFor?: (request: Request) => Surface;
  summary: string;
  /** What else its callers should know, as Markdown of paragraphs, lists and code. */
  description?: string;
  tag: string;
  /** The key must hold one of these; undefined: no authentication. */
  scopes: readonly NeededScope[] | undefined;
  params?: Readonly<Record<string, JsonSchema>>;
  query?: Readonly<Record<string, JsonSchema>>;
  /** Headers of the request that the handler reads by itself, as they are documented. */
  headers?: Readonly<Record<string, JsonSchema>>;
  body?: JsonSchema;
  /**
   * Media types of bodies that the handler reads by itself, from `source`, with the schemas that
   * document them; a body of another type is JSON.
   */
  uploads?: Readonly<Record<string, JsonSchema>>;
  /** Largest body, in bytes. */
  bodyBytesMax?: number;
  /** Before the body is read: throws what refuses a call that nothing is to be read of. */
  admit?: (call: Pick<RouteCall, 'principal' | 'request' | 'response'>) => void;
  /** Creates or spends: with an `Idempotency-Key` once only, and the same answer again. */
  idempotent?: true;
  /** Of a native route whose answer may be a stream: true when this call asks for one. */
  wantsStream?: (call: RouteCall) => boolean;
  responses: RouteResponses;
  handle: (call: RouteCall) => Promise<Reply | undefined>;
};

/** Which family of clients a request to a route comes from. */
export const surfaceOf = (route: Route, request: Request): Surface =>
  route.surfaceFor?.(request) ?? route.surface;

/** True for a call whose answer is a stream; both dialects ask for one with this member. */
export const isStreamed = (route: Route, call: RouteCall): boolean =>
  route.surface === 'native' ? (route.wantsStream?.(call) ?? false) : call.body.stream === true;
