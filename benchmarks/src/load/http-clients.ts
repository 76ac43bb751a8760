// Sends HTTP load from a process of its own, so that the clients' CPU is not counted as the
// measured system's.
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { SERIAL_PLACEHOLDER, SESSION_PLACEHOLDER } from '../gateway/traffic/history.ts';
import { serveProgram } from '../program/serve-program.ts';
import { runClosedLoop } from './run-closed-loop.ts';
import type { LoadLimits, LoadResult } from './run-closed-loop.ts';

/** Order to send calls to one URL until a limit is reached. */
export type HttpLoad = {
  limits: LoadLimits;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Body with a placeholder that is replaced by a serial number in every call. */
  body: string;
  /** Text with which a complete response ends; any other response fails the run. */
  tail: string;
  /** Text that a complete response contains. */
  within?: string;
  /** Header that every response must have; its values are returned as `ids`. */
  idHeader?: string;
  /** Ids of chat sessions; each call of a run uses the next one. */
  sessions?: readonly string[];
};

/**
 * Durations of one call in milliseconds: from sending it until the first byte (`firstByteMs`) and
 * until the end (`ms`) of the response.
 */
export type HttpSample = { serial: string; firstByteMs: number; ms: number };

/** `samples` is empty unless the load has sessions. */
export type HttpLoadResult = { result: LoadResult; ids: string[]; samples: HttpSample[] };

/** Maximum number of connections per origin, equal to the highest concurrency. */
const CONNECTIONS_MAX = 256;
const ERROR_TEXT_CHARACTERS = 500;

const pools = new Map<string, Pool>();
/** Serial number of the last call. It is never reset, so that no two questions are equal. */
let lastSerial = 0;

const poolOf = (origin: string): Pool => {
  const pool = pools.get(origin) ?? new Pool(origin, { connections: CONNECTIONS_MAX });
  pools.set(origin, pool);
  return pool;
};

const run = async ({ limits, url, ...load }: HttpLoad): Promise<HttpLoadResult> => {
  const { origin, pathname } = new URL(url);
  const pool = poolOf(origin);
  const ids: string[] = [];
  const samples: HttpSample[] = [];
  const options: Dispatcher.DispatchOptions = {
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...load.headers },
  };
  const makeBody = createBodies(load);
  const result = await runClosedLoop(limits, async () => {
    const { body, serial } = makeBody();
    const { id, firstByteMs, ms } = await send(pool, { ...options, body }, load);
    if (load.idHeader) ids.push(id);
    if (load.sessions) samples.push({ serial, firstByteMs, ms });
    return firstByteMs;
  });
  return { result, ids, samples };
};

/**
 * Returns a function that returns the body with the next serial number and session. The body is
 * encoded only once, because it may be large.
 */
const createBodies = ({ body: text, sessions }: Pick<HttpLoad, 'body' | 'sessions'>) => {
  const template = Buffer.from(text);
  const serialOffset = template.indexOf(SERIAL_PLACEHOLDER);
  const sessionOffset = template.indexOf(SESSION_PLACEHOLDER);
  let calls = 0;
  return (): { body: Buffer; serial: string } => {
    const body = Buffer.from(template);
    lastSerial += 1;
    const serial = String(lastSerial).padStart(SERIAL_PLACEHOLDER.length, '0');
    body.write(serial, serialOffset);
    if (sessionOffset >= 0) body.write(sessions![calls]!, sessionOffset);
    calls += 1;
    return { body, serial };
  };
};

type Answer = { status: number; id: string; text: string; firstByteMs: number; ms: number };

/** Sends a request and checks the response. */
const send = (
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  load: Pick<HttpLoad, 'tail' | 'within' | 'idHeader'>,
): Promise<Answer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sentAt = performance.now();
  const answer: Answer = { status: 0, id: '', text: '', firstByteMs: -1, ms: 0 };
  // Unless the whole text is searched, only its end is stored, to save the clients' CPU.
  const storedLength = load.within === undefined ? load.tail.length : Infinity;
  pool.dispatch(options, {
    onRequestStart: () => {},
    onResponseStart: (_controller, status, headers) => {
      answer.status = status;
      if (load.idHeader) answer.id = String(headers[load.idHeader] ?? '');
    },
    onResponseData: (_controller, chunk) => {
      if (answer.firstByteMs < 0) answer.firstByteMs = performance.now() - sentAt;
      const text = chunk.toString('latin1', Math.max(0, chunk.length - storedLength));
      answer.text = (answer.text + text).slice(-storedLength);
    },
    onResponseEnd: () => {
      answer.ms = performance.now() - sentAt;
      const error = findResponseError(answer, load);
      if (error) reject(new Error(error));
      else resolve(answer);
    },
    onResponseError: (_controller, error) => reject(error),
  });
  return promise;
};

const findResponseError = (
  { status, id, text }: Answer,
  { tail, within = '', idHeader }: Pick<HttpLoad, 'tail' | 'within' | 'idHeader'>,
): string | undefined => {
  const end = text.slice(-ERROR_TEXT_CHARACTERS);
  if (status !== 200) return `a call was answered with status ${status}: ...${end}`;
  if (idHeader && !id) return `an answer came without ${idHeader}`;
  const isComplete = text.endsWith(tail) && text.includes(within);
  return isComplete ? undefined : `an answer was not complete: ...${end}`;
};

serveProgram({
  ready: {},
  answer: run,
  stop: async () => {
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  },
});
