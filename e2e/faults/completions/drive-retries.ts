import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import { BACK_OFF_MS } from '../drive-workers.ts';
import type { Load } from '../drive-workers.ts';
import { IN_FLIGHT } from './bench.ts';
import { runCall } from './run-call.ts';
import type { CallDialect, CallRecord } from './run-call.ts';

type Address = Pick<SystemFile, 'baseUrl' | 'apiKey'>;

const KEYS_AT_ONCE = 8;
const CLIENTS_PER_KEY = 4;
/**
 * Time in milliseconds after which a client stops retrying and uses a new key. Keys of a killed
 * process stay `running` for longer, until their lease expires.
 */
const RETRY_LIMIT_MS = 2_000;

/**
 * Starts a retry storm: several clients send the same plain call under one `Idempotency-Key` until
 * it gets a final response or `RETRY_LIMIT_MS` have passed, then they use the next key.
 */
export const driveRetries = (system: Address, { name }: { name: string }): Load<CallRecord> => {
  const endedCalls: CallRecord[] = [];
  const all: Promise<unknown>[] = [];
  let isStopping = false;
  let keys = 0;
  const retryUntilFinal = async (key: string, dialect: CallDialect): Promise<void> => {
    for (const deadline = Date.now() + RETRY_LIMIT_MS; ;) {
      const record = await runCall(system, {
        content: `${key} call`,
        dialect,
        isStreamed: false,
        key,
      });
      endedCalls.push(record);
      if (isFinalResponse(record) || isStopping || Date.now() > deadline) return;
      await pause(BACK_OFF_MS);
    }
  };
  const runWorker = async (): Promise<void> => {
    while (!isStopping) {
      keys += 1;
      const key = `${name} key ${keys}`;
      const dialect = keys % 2 === 0 ? 'chat-completions' : 'responses';
      const clients = Promise.all(
        Array.from({ length: CLIENTS_PER_KEY }, () => retryUntilFinal(key, dialect)),
      );
      all.push(clients);
      // Waits no longer than the limit, because calls of the old key that hang must not delay the
      // next key.
      await Promise.race([clients, pause(RETRY_LIMIT_MS)]);
    }
  };
  const workers = Promise.all(Array.from({ length: KEYS_AT_ONCE }, runWorker));
  return {
    endedCalls,
    stop: async () => {
      isStopping = true;
      await workers;
      await Promise.all(all);
    },
  };
};

/**
 * Returns whether the response is final: every further retry under its key gets the same response.
 */
export const isFinalResponse = ({ outcome, status }: CallRecord): boolean =>
  outcome === 'complete' || status === LOST_RESPONSE_STATUS;

/**
 * Status of a retry if the process of the original call was killed: the certificate exists, but the
 * response is lost.
 */
export const LOST_RESPONSE_STATUS = '409 idempotency_answer_lost';

/**
 * Retries one call of each key that has no final response, again and again until it has one or
 * `limitMs` have passed. Returns the records of all attempts. No more than IN_FLIGHT calls run at
 * once, because a slow machine leaves over a thousand keys, and calls of all of them time out.
 */
export const retryOpenKeys = async (
  system: Address,
  calls: readonly CallRecord[],
  limitMs: number,
): Promise<CallRecord[]> => {
  const deadline = Date.now() + limitMs;
  const attempts: CallRecord[] = [];
  for (let open = findOpenCalls(calls); open.length > 0; await pause(BACK_OFF_MS * 5)) {
    const isLastPass = Date.now() > deadline;
    const next = open.values();
    const retry = async (): Promise<void> => {
      for (const { content, dialect, isStreamed, key } of next) {
        const keyed = key === undefined ? {} : { key };
        attempts.push(await runCall(system, { content, dialect, isStreamed, ...keyed }));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, retry));
    const ended = new Set(attempts.filter(isFinalResponse).map(({ key }) => key));
    open = open.filter(({ key }) => !ended.has(key));
    if (isLastPass) break;
  }
  return attempts;
};

/** Returns the first call of each key that has no final response. */
export const findOpenCalls = (calls: readonly CallRecord[]): CallRecord[] =>
  [...Map.groupBy(calls, ({ key }) => key)].flatMap(([key, group]) =>
    key === undefined || group.some(isFinalResponse) ? [] : [group[0]!],
  );
