// Sends the load of the gateway benchmark from a process of its own, so that the clients' CPU is
// not counted as the measured system's.
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { runClosedLoop } from '../load/run-closed-loop.ts';
import type { LoadLimits } from '../load/run-closed-loop.ts';
import type { LoadResult } from '../load/summarize-load.ts';
import { SERIAL_PLACEHOLDER } from './traffic/history.ts';
import { serveProgram } from '../program/serve-program.ts';

/** Order to send calls to one URL until a limit is reached. */
export type HttpLoad = {
  limits: LoadLimits;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Text with which a complete response ends; any other response fails the run. */
  tail: string;
  /** Header that every response must have; its values are returned as `ids`. */
  idHeader?: string;
};

export type HttpLoadResult = { result: LoadResult; ids: string[] };

/** Maximum number of connections per origin, equal to the highest concurrency. */
const CONNECTIONS_MAX = 256;

const pools = new Map<string, Pool>();

const poolOf = (origin: string): Pool => {
  const pool = pools.get(origin) ?? new Pool(origin, { connections: CONNECTIONS_MAX });
  pools.set(origin, pool);
  return pool;
};

const run = async ({ limits, url, ...load }: HttpLoad): Promise<HttpLoadResult> => {
  const { origin, pathname } = new URL(url);
  const pool = poolOf(origin);
  const ids: string[] = [];
  const options: Dispatcher.DispatchOptions = {
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...load.headers },
  };
  const makeBody = createBodies(load.body);
  const result = await runClosedLoop(limits, () =>
    send(pool, { ...options, body: makeBody() }, load, ids),
  );
  return { result, ids };
};

/**
 * Returns a function that returns the body with a new serial number at each call. The body is
 * encoded only once, because it may be large.
 */
const createBodies = (text: string): (() => Buffer) => {
  const body = Buffer.from(text);
  const at = body.indexOf(SERIAL_PLACEHOLDER);
  let serial = 0;
  return () => {
    const next = Buffer.from(body);
    serial += 1;
    next.write(String(serial).padStart(SERIAL_PLACEHOLDER.length, '0'), at);
    return next;
  };
};

/**
 * Sends a request and checks the response. Resolves with the milliseconds to the first byte of the
 * body.
 */
const send = (
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  load: Pick<HttpLoad, 'tail' | 'idHeader'>,
  ids: string[],
): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sentAt = performance.now();
  const answer = { status: 0, id: '', firstByteMs: -1, last: '' };
  pool.dispatch(options, {
    onRequestStart: () => {},
    onResponseStart: (_controller, status, headers) => {
      answer.status = status;
      if (load.idHeader) answer.id = String(headers[load.idHeader] ?? '');
    },
    onResponseData: (_controller, chunk) => {
      if (answer.firstByteMs < 0) answer.firstByteMs = performance.now() - sentAt;
      const text = chunk.toString('latin1', Math.max(0, chunk.length - load.tail.length));
      answer.last = (answer.last + text).slice(-load.tail.length);
    },
    onResponseEnd: () => {
      const error = findResponseError(answer, load);
      if (error) return reject(new Error(error));
      if (load.idHeader) ids.push(answer.id);
      return resolve(answer.firstByteMs);
    },
    onResponseError: (_controller, error) => reject(error),
  });
  return promise;
};

const findResponseError = (
  answer: { status: number; id: string; last: string },
  load: Pick<HttpLoad, 'tail' | 'idHeader'>,
): string | undefined => {
  if (answer.status !== 200) {
    return `a call was answered with status ${answer.status}: ...${answer.last}`;
  }
  if (load.idHeader && !answer.id) return `an answer came without ${load.idHeader}`;
  return answer.last === load.tail ? undefined : 'an answer was cut off';
};

serveProgram({
  ready: {},
  answer: run,
  stop: async () => {
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  },
});
