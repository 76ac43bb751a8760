import type { Request, Response } from 'express';
import { isServiceError } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import { toPublicError } from '@witan/service-kit';
import type { CallOptions } from '@witan/service-kit';
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
  /** Set for a route with `limitsMemory`. */
  memory?: BodyMemory | undefined;
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
  /** True if a stream counts as one of those that its key may have at once. */
  limitsStreams?: true;
  /** True if memory is reserved for the body, and for the stored responses that the call reads. */
  limitsMemory?: true;
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

/** Returns the options of the RPCs of a call. */
export const optionsOf = ({ principal, requestId, signal }: RouteCall): CallOptions => ({
  workspaceId: principal!.workspaceId,
  requestId,
  actorId: principal!.keyId,
  signal,
  timeoutMs: CALL_TIMEOUT_MS,
});

export const CALL_TIMEOUT_MS = 10_000;
/**
 * Timeout of a token count, which calls a provider; the llm-gateway returns an estimate if the
 * provider times out earlier.
 */
export const COUNT_TIMEOUT_MS = 30_000;
/** Timeout of a webhook test; the receiver itself has 10 s to respond. */
export const WEBHOOK_TEST_TIMEOUT_MS = 15_000;
/**
 * Timeout of listing the tools of an MCP server, which takes up to 30 s, and up to 4 s more for a
 * free connection. The rest is for checking the schemas.
 */
export const MCP_SERVER_TIMEOUT_MS = 60_000;
/**
 * Timeout of a tool test. A request waits up to 4 s for a free connection and then up to 15 s for
 * the response. A tool of an MCP server takes up to three requests, and its server may have to list
 * its tools first.
 */
export const TOOL_TEST_TIMEOUT_MS = MCP_SERVER_TIMEOUT_MS + 60_000;
/**
 * Timeout of adding or deleting a document: parsing takes up to a minute, as does deleting a long
 * document.
 */
export const ADD_DOCUMENT_TIMEOUT_MS = 90_000;
/** Time for the tool calls and further model calls of a chat turn, beyond its first completion. */
export const TURN_MARGIN_MS = 90_000;
export const SIMULATION_WAIT_MS = 120_000;
/**
 * Timeout of a computation: a forecast makes up to ten thousand runs of forty years, a replay
 * covers the whole history of a scenario.
 */
export const COMPUTE_TIMEOUT_MS = 60_000;

/** Error with which a response is closed whose connection a drain closed at its limit. */
export class DrainLimitError extends Error {
  constructor() {
    super('The server stops and closed the connection of a running request');
    this.name = 'DrainLimitError';
  }
}

/**
 * Returns the reason if this process aborted the call; undefined if the client disconnected or the
 * call still runs.
 */
export const abortReasonOf = ({ reason }: AbortSignal): ServiceError | undefined =>
  isServiceError(reason) ? reason : undefined;

/** Returns whether the client disconnected; false if this process aborted the call. */
export const hasDisconnected = (signal: AbortSignal): boolean =>
  signal.aborted && !abortReasonOf(signal) && !(signal.reason instanceof DrainLimitError);

/** Returns the error to send on an open stream, or undefined if the client has disconnected. */
export const toStreamFailure = (error: unknown, signal: AbortSignal): ServiceError | undefined =>
  signal.aborted ? abortReasonOf(signal) : toPublicError(error);

const NAME_LENGTH_MAX = 128;

/**
 * Returns a value in a form that a header can contain: spaces, commas, percent signs and characters
 * outside ASCII are percent-encoded, and long values are truncated.
 */
export const toHeaderText = (value: string): string => {
  const text = value.toWellFormed().replaceAll(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
  return text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}...` : text;
};

/**
 * Maximum number of names in a header, because some clients reject headers of more than a few KiB.
 */
const LISTED_MAX = 30;

export const toHeaderList = (values: readonly string[]): string => {
  const listed = values.slice(0, LISTED_MAX).map(toHeaderText);
  return [...listed, ...(values.length > LISTED_MAX ? ['...'] : [])].join(', ');
};

export const setDroppedParamsHeader = (response: Response, names: readonly string[]): void => {
  if (names.length > 0) {
    response.setHeader('x-service-dropped-params', toHeaderList(names));
  }
};

/**
 * Returns whether the client wants unknown fields to be errors, which it requests with `Prefer:
 * handling=strict` (RFC 7240 section 4.4).
 */
export const isStrict = (request: Request): boolean =>
  /(^|,)\s*handling\s*=\s*"?strict"?\s*(;|,|$)/i.test(request.get('prefer') ?? '');

export const setIgnoredFieldsHeader = (response: Response, paths: readonly string[]): void => {
  if (paths.length === 0) return;
  response.setHeader('x-service-ignored-fields', toHeaderList(paths));
};
