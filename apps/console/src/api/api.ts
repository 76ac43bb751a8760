import createClient from 'openapi-fetch';
import type { paths } from '../gen/api.ts';
import { ApiError } from './api-error.ts';

/** Header of every call with the session cookie; a page of another origin cannot send it. */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = { 'x-witan-console': '1' };

/** Deadline of a call that does not stream. Calls of a model take up to a minute. */
const CALL_TIMEOUT_MS = 120_000;

const fetchInTime = (request: Request): Promise<Response> =>
  fetch(request, {
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
  });

/**
 * Calls of the public API, typed by its OpenAPI document: `api.GET('/v1/api-keys', {...})`. Use
 * {@link dataOf} to get the body or throw.
 */
export const api = createClient<paths>({
  baseUrl: location.origin,
  headers: CONSOLE_HEADERS,
  fetch: fetchInTime,
});

type Called<Body> = { data?: Body; error?: unknown; response: Response };

/** Returns the body of a successful call. Throws ApiError for every other response. */
export const dataOf = async <Body>(call: Promise<Called<Body>>): Promise<Body> => {
  const { data, error, response } = await call;
  if (!response.ok) throw new ApiError(response.status, error);
  return data as Body;
};
