// Sends the chat calls of a benchmark from a process of its own, so that the clients' CPU is not
// counted as the measured system's.
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { SERIAL_PLACEHOLDER } from '../../gateway/traffic/history.ts';
import { runClosedLoop } from '../../load/run-closed-loop.ts';
import type { LoadLimits } from '../../load/run-closed-loop.ts';
import type { LoadResult } from '../../load/summarize-load.ts';
import { serveProgram } from '../../program/serve-program.ts';
import { findSerial, SESSION_PLACEHOLDER } from './questions.ts';

/** Order to send calls to one URL until a limit is reached. */
export type ChatLoad = {
  limits: LoadLimits;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /**
   * A response is complete if it contains `within` and ends with `tail`; an incomplete response
   * fails the run.
   */
  marks: { within: string; tail: string };
  /** Header that every response must have; its values are returned as `ids`. */
  idHeader?: string;
  /** Ids of the chat sessions; each call of a run uses the next one. */
  sessions: readonly string[];
};

/**
 * Durations of one call in milliseconds: from sending it until the first byte (`firstByteMs`) and
 * until the end (`ms`) of the response.
 */
export type ChatSample = { serial: string; firstByteMs: number; ms: number };

export type ChatLoadResult = { result: LoadResult; samples: ChatSample[]; ids: string[] };

const CONNECTIONS_MAX = 64;

const pools = new Map<string, Pool>();
/**
 * Serial number of the last question. It is never reset, so that no two questions of a benchmark
 * are equal.
 */
let lastSerial = 0;

const poolOf = (origin: string): Pool => {
  const pool = pools.get(origin) ?? new Pool(origin, { connections: CONNECTIONS_MAX });
  pools.set(origin, pool);
  return pool;
};

const run = async ({ limits, url, ...load }: ChatLoad): Promise<ChatLoadResult> => {
  const { origin, pathname } = new URL(url);
  const pool = poolOf(origin);
  const options: Dispatcher.DispatchOptions = {
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...load.headers },
  };
  const template = Buffer.from(load.body);
  const serialAt = findSerial(template);
  const sessionAt = template.indexOf(SESSION_PLACEHOLDER);
  const samples: ChatSample[] = [];
  const ids: string[] = [];
  let calls = 0;
  const result = await runClosedLoop(limits, async () => {
    lastSerial += 1;
    const serial = String(lastSerial).padStart(SERIAL_PLACEHOLDER.length, '0');
    const body = Buffer.from(template);
    body.write(serial, serialAt);
    if (sessionAt >= 0) body.write(load.sessions[calls]!, sessionAt);
    calls += 1;
    const { id, ...times } = await send(pool, { ...options, body }, load);
    samples.push({ serial, ...times });
    if (load.idHeader) ids.push(id);
    return times.firstByteMs;
  });
  return { result, samples, ids };
};

type CallResult = { id: string; firstByteMs: number; ms: number };

const send = (
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  load: Pick<ChatLoad, 'marks' | 'idHeader'>,
): Promise<CallResult> => {
  const { promise, resolve, reject } = Promise.withResolvers<CallResult>();
  const sentAt = performance.now();
  const answer = { id: '', firstByteMs: -1, ms: 0 };
  const chunks: Buffer[] = [];
  let status = 0;
  pool.dispatch(options, {
    onRequestStart: () => {},
    onResponseStart: (_controller, code, headers) => {
      status = code;
      if (load.idHeader) answer.id = String(headers[load.idHeader] ?? '');
    },
    onResponseData: (_controller, chunk) => {
      if (answer.firstByteMs < 0) answer.firstByteMs = performance.now() - sentAt;
      chunks.push(chunk);
    },
    onResponseEnd: () => {
      answer.ms = performance.now() - sentAt;
      const error = findResponseError(status, Buffer.concat(chunks).toString(), load.marks);
      if (error) return reject(new Error(error));
      if (load.idHeader && !answer.id) return reject(new Error(`no ${load.idHeader}`));
      return resolve(answer);
    },
    onResponseError: (_controller, error) => reject(error),
  });
  return promise;
};

const ERROR_TEXT_CHARACTERS = 500;

const findResponseError = (
  status: number,
  text: string,
  { within, tail }: ChatLoad['marks'],
): string | undefined => {
  if (status !== 200)
    return `a call was answered with status ${status}: ${text.slice(-ERROR_TEXT_CHARACTERS)}`;
  const isComplete = text.includes(within) && text.endsWith(tail);
  return isComplete
    ? undefined
    : `an answer was not whole: ...${text.slice(-ERROR_TEXT_CHARACTERS)}`;
};

serveProgram({
  ready: {},
  answer: run,
  stop: async () => {
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  },
});
