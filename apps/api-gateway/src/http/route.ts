import type { Request, Response } from 'express';
import type { DialectName } from '@witan/dialects';
import type { Principal } from '../auth/authenticate.ts';
import type { RequiredScope } from '../auth/scope.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Schema of a streamed body. It has no constraints, because OpenAPI 3.1 cannot describe the items
 * of a stream, and tools for later versions would apply a schema of the whole text to each item.
 */
export const STREAM: JsonSchema = { description: 'Read item by item: see the answer' };

/** The API family of a path: native, or a dialect. It decides the format of errors. */
export type Surface = 'native' | DialectName;

export type RouteResponse = {
  description: string;
  contentType?: string;
  streamedAs?: string;
  schema?: JsonSchema;
  headers?: Readonly<Record<string, string>>;
};

/**
 * Documented responses by status; `4XX` and `5XX` are statuses that a provider returned and that
 * are passed on.
 */
export type RouteResponses = Readonly<Record<number, RouteResponse>> & {
  readonly '4XX'?: RouteResponse;
  readonly '5XX'?: RouteResponse;
};

/** Memory that is reserved for a call, beyond what any call needs. */
export type BodyMemory = {
  /** Reserves more bytes. Throws RATE_LIMITED or UNAVAILABLE if too few are free. */
  grow: (bytes: number) => void;
  /** Releases all but `bytes`, if more are reserved. */
  shrinkTo: (bytes: number) => void;
  release: () => void;
  /** Set by a handler whose call goes on after its response; it then releases the memory itself. */
  isRetained: boolean;
};

export type RouteCall = {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: Record<string, unknown>;
  /** The bytes of the body as the client sent them, decompressed. */
  source: Uint8Array;
  /** The text of `source`, from which `body` was parsed; empty for an upload. */
  text: string;
  principal: Principal | undefined;
  requestId: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  request: Request;
  response: Response;
  /**
   * Proof id under which the call runs; set for a call with an Idempotency-Key. If absent, the
   * handler creates one.
   */
  proofId?: string;
  /** Set for routes with large bodies or stored ones. */
  memory?: BodyMemory;
};

/**
 * A complete response. `text` is sent unchanged; a 204 has no body. A handler that has written the
 * response itself returns undefined instead.
 */
export type Reply =
  | { status: number; json: unknown; headers?: Readonly<Record<string, string>> }
  | { status: number; text: string; headers?: Readonly<Record<string, string>> }
  | { status: 204; headers?: Readonly<Record<string, string>> };

/**
 * One operation of the public API. The router, the validation and the OpenAPI document are derived
 * from it.
 */
export type Route = {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  /**
   * True if the last parameter of the path is the rest of the path, with slashes. Its handler reads
   * it from the request.
   */
  hasRest?: true;
  surface: Surface;
  surfaceFor?: (request: Request) => Surface;
  summary: string;
  description?: string;
  tag: string;
  /**
   * API-key scopes of which the caller needs one; undefined if the route needs no authentication.
   */
  scopes: readonly RequiredScope[] | undefined;
  query?: Readonly<Record<string, JsonSchema>>;
  /**
   * Schemas of the request headers that the handler reads itself; used for the documentation only.
   */
  headers?: Readonly<Record<string, JsonSchema>>;
  body?: JsonSchema;
  /**
   * Media types of bodies that the handler reads itself from `source`, with the schemas that
   * document them; other bodies are JSON.
   */
  uploads?: Readonly<Record<string, JsonSchema>>;
  bodyBytesMax?: number;
  /** Runs before the body is read and throws to refuse the call. */
  admit?: (call: Pick<RouteCall, 'principal' | 'request' | 'response'>) => void;
  /** True if the route supports the header `Idempotency-Key`. */
  idempotent?: true;
  wantsStream?: (call: RouteCall) => boolean;
  responses: RouteResponses;
  handle: (call: RouteCall) => Promise<Reply | undefined>;
};

export const surfaceOf = (route: Route, request: Request): Surface =>
  route.surfaceFor?.(request) ?? route.surface;

export const isStreamed = (route: Route, call: RouteCall): boolean =>
  route.surface === 'native' ? (route.wantsStream?.(call) ?? false) : call.body.stream === true;
