import { expect } from '@jest/globals';
import type { ExpectDocumented } from '../expect-documented.ts';
import { createHttpClient } from '../http-client.ts';
import type { Caller } from '../http-client.ts';
import type { TourRequest, TourCall } from './take-tour.ts';

/** A call of the tour and its response bodies by status, as the API reference shows them. */
export type RecordedCall = TourRequest & { request?: unknown; answers: Record<string, unknown> };
export type Recorded = Record<string, { answers: Record<string, unknown>; streamed?: string }>;

type Paths = Readonly<Record<string, Record<string, { operationId: string }>>>;

/**
 * Number of first frames of a long stream that are shown; `FRAMES_LAST` is the number of last
 * frames.
 */
const FRAMES_FIRST = 4;
const FRAMES_LAST = 2;
/**
 * Maximum number of list items that are shown; `TEXT_MAX` is the maximum number of characters of a
 * text.
 */
const ITEMS_MAX = 2;
const TEXT_MAX = 600;

type RecordingOptions = { caller: Caller; paths: Paths; expectDocumented: ExpectDocumented };

/**
 * Returns `call`, which makes a call of the tour, checks its response against the OpenAPI document
 * and records it, and `recorded`, which returns the records.
 */
export const recordTour = ({ caller, paths, expectDocumented }: RecordingOptions) => {
  const client = createHttpClient(caller);
  const operations = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`,
      ]),
    ),
  );
  const recorded: Record<string, Omit<RecordedCall, 'body' | 'streamed'> & { streamed?: string }> =
    {};
  const call: TourCall = async (id, { params, query, body, streamed = false, ...request } = {}) => {
    const operation = operations.get(id)!;
    const search = query ? `?${new URLSearchParams(query).toString()}` : '';
    const [method, path = ''] = operation.split(' ');
    const url = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => params?.[name] ?? '');
    const accept = streamed ? 'text/event-stream' : 'application/json';
    const answer = await client.send(`${url}${search}`, {
      method,
      headers: { ...(request.headers ?? { 'x-api-key': caller.apiKey }), accept },
      ...(body ? { body } : {}),
    });
    expect([id, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([
      id,
      expect.any(Number),
      '',
    ]);
    expectDocumented(answer, operation);
    const entry = (recorded[id] ??= { answers: {} });
    if (params) entry.params ??= params;
    if (query) entry.query ??= query;
    if (body) entry.request ??= body;
    if (streamed) entry.streamed ??= shorten(answer.text);
    else entry.answers[answer.status] ??= toShownResponse(id, answer);
    const [setCookie] = answer.headers.getSetCookie();
    const response = { ...(answer.json ?? {}), ...(setCookie ? { setCookie } : {}) };
    return response as Awaited<ReturnType<TourCall>>;
  };
  return { call, recorded: () => redact(recorded) as Recorded };
};

type Shown = { json: unknown; text: string; headers: Headers };

/**
 * Returns the part of a response that the reference shows. The OpenAPI document and its page are
 * replaced by short texts, because they contain the reference itself.
 */
const toShownResponse = (id: string, { json, text, headers }: Shown): unknown => {
  if (headers.get('content-type') === 'application/octet-stream') return undefined;
  if (id === 'getOpenapi') return { openapi: '3.1.0', info: { title: 'Witan' }, paths: {} };
  if (id === 'getDocs') return { text: '<!doctype html>' };
  if (json !== undefined) return truncate(json);
  return text === '' ? undefined : { text: shorten(text) };
};

/** Returns the value with long lists and long texts shortened to their maximum. */
const truncate = (value: unknown): unknown => {
  if (typeof value === 'string') {
    return value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)} ...` : value;
  }
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(truncate);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, truncate(one)]));
};

const shorten = (stream: string): string => {
  const frames = stream.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
  const isLong = frames.length > FRAMES_FIRST + FRAMES_LAST;
  const shown = isLong
    ? [...frames.slice(0, FRAMES_FIRST), ': ...', ...frames.slice(-FRAMES_LAST)]
    : frames;
  return shown.map((frame) => `${shortenFrame(frame)}\n\n`).join('');
};

const shortenFrame = (frame: string): string =>
  frame
    .split('\n')
    .map((line) => (line.length > TEXT_MAX ? `${line.slice(0, TEXT_MAX)} ...` : line))
    .join('\n');

/** Replaces secrets and loopback addresses of the run by example values. */
const redact = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/sk_live_[0-9A-Za-z]{46}/g, `sk_live_${'Example0'.repeat(6).slice(0, 46)}`)
      .replaceAll(/whsec_[A-Za-z0-9+/]{43}=/g, `whsec_${'Example0'.repeat(6).slice(0, 43)}=`)
      .replaceAll(/#token=[\w-]{43}/g, `#token=${'Example0'.repeat(6).slice(0, 43)}`)
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://example.com'),
  );
