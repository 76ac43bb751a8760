import type { Request, Response } from 'express';
import type { DialectName } from '@witan/dialects';
import type { Principal } from '../domain/key/authenticate.ts';
import type { NeededScope } from '../domain/key/scope.ts';

/** A JSON Schema (2020-12), as it appears in the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Schema of a streamed body. It is empty because OpenAPI 3.1 cannot describe the items of a stream,
 * and tools for later versions would take a schema of the text for that of each item.
 */
export const STREAM: JsonSchema = { description: 'Read item by item: see the answer' };

/** The family of clients that a path serves; decides the shape of its errors. */
export type Surface = 'native' | DialectName;

/** A documented response of a route. */
export type RouteResponse = {
  description: string;
  /** Default: `application/json`. */
  contentType?: string;
  /** Content type of the streamed variant, if there is one. */
  streamedAs?: string;
  schema?: JsonSchema;
  headers?: Readonly<Record<string, string>>;
};

/** Responses by status; `4XX` and `5XX` stand for a provider's statuses that are passed on. */
export type RouteResponses = Readonly<Record<number, RouteResponse>> & {
  readonly '4XX'?: RouteResponse;
  readonly '5XX'?: RouteResponse;
};

/** The validated input of a handler. */
export type RouteCall = {
  params: Readonly<Record<string, string>>;
  /** Query parameters, coerced to the types of their schema. */
  query: Readonly<Record<string, unknown>>;
  /** The parsed body; `{}` if the route has none. */
  body: Record<string, unknown>;
  /** The body's bytes as sent. */
  source: Uint8Array;
  /** Undefined on routes without authentication. */
  principal: Principal | undefined;
  requestId: string;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  request: Request;
  response: Response;
  /** The proof id that the call spends under; absent: a new one. */
  proofId?: string;
};

/**
 * A complete response; `text` is sent unchanged, 204 has no body. Undefined: the handler has
 * written the response itself.
 */
export type Reply =
  | { status: number; json: unknown; headers?: Readonly<Record<string, string>> }
  | { status: number; text: string; headers?: Readonly<Record<string, string>> }
  | { status: 204; headers?: Readonly<Record<string, string>> };

/**
 * One operation of the public API: the router, the validation, the OpenAPI document and the tests
 * are derived from it.
 */
export type Route = {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** In OpenAPI form: `/v1/proofs/{id}`. */
  path: string;
  surface: Surface;
  /** The surface of a request, for a path that serves several families of clients. */
  surfaceFor?: (request: Request) => Surface;
  summary: string;
  /** Further documentation, as Markdown of paragraphs, lists and code. */
  description?: string;
  tag: string;
  /** The key must have one of these; undefined: no authentication. */
  scopes: readonly NeededScope[] | undefined;
  params?: Readonly<Record<string, JsonSchema>>;
  query?: Readonly<Record<string, JsonSchema>>;
  /** Request headers that the handler reads itself, for the documentation. */
  headers?: Readonly<Record<string, JsonSchema>>;
  body?: JsonSchema;
  /**
   * Media types of bodies that the handler reads itself from `source`, with the schemas that
   * document them; other bodies are JSON.
   */
  uploads?: Readonly<Record<string, JsonSchema>>;
  /** Maximum size of a body, in bytes. */
  bodyBytesMax?: number;
  /** Runs before the body is read; throws to refuse the call. */
  admit?: (call: Pick<RouteCall, 'principal' | 'request' | 'response'>) => void;
  /** Creates or spends: honours `Idempotency-Key`. */
  idempotent?: true;
  /** For a native route that can stream: true if this call requests a stream. */
  wantsStream?: (call: RouteCall) => boolean;
  responses: RouteResponses;
  handle: (call: RouteCall) => Promise<Reply | undefined>;
};

export const surfaceOf = (route: Route, request: Request): Surface =>
  route.surfaceFor?.(request) ?? route.surface;

/** Returns whether the response is a stream; both dialects request one with this member. */
export const isStreamed = (route: Route, call: RouteCall): boolean =>
  route.surface === 'native' ? (route.wantsStream?.(call) ?? false) : call.body.stream === true;
