import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import type { Load } from './drive-load.ts';
import { runCall } from './run-call.ts';
import type { CallRecord } from './run-call.ts';

type Address = Pick<SystemFile, 'baseUrl' | 'apiKey'>;

const KEYS_AT_ONCE = 8;
const CLIENTS_PER_KEY = 4;
/** Pause of a client after a failed call. */
const BACK_OFF_MS = 100;
/**
 * Time after which a client stops retrying and a new key is used. Calls of a killed process stay
 * `running` until its lease expires, which takes longer.
 */
const PATIENCE_MS = 2_000;

/**
 * Simulates a retry storm: several clients send the same plain call under one `Idempotency-Key`
 * until it succeeds or their time is over, then they use the next key.
 */
export const driveRetries = (system: Address, { name }: { name: string }): Load => {
  const ended: CallRecord[] = [];
  const all: Promise<unknown>[] = [];
  let isStopping = false;
  let keys = 0;
  let started = 0;
  const retryUntilFinal = async (key: string): Promise<void> => {
    for (const deadline = Date.now() + PATIENCE_MS; ;) {
      started += 1;
      const record = await runCall(system, { content: `${key} call`, isStreamed: false, key });
      ended.push(record);
      if (isFinal(record) || isStopping || Date.now() > deadline) return;
      await pause(BACK_OFF_MS);
    }
  };
  const work = async (): Promise<void> => {
    while (!isStopping) {
      keys += 1;
      const key = `${name} key ${keys}`;
      const clients = Promise.all(
        Array.from({ length: CLIENTS_PER_KEY }, () => retryUntilFinal(key)),
      );
      all.push(clients);
      // Clients whose calls hang must not delay the next key.
      await Promise.race([clients, pause(PATIENCE_MS)]);
    }
  };
  const workers = Promise.all(Array.from({ length: KEYS_AT_ONCE }, work));
  return {
    ended,
    pending: () => started - ended.length,
    stop: async () => {
      isStopping = true;
      await workers;
      await Promise.all(all);
    },
  };
};

/**
 * Returns whether the response is final, so that every further retry under its key gets the same
 * one.
 */
export const isFinal = ({ outcome, status }: CallRecord): boolean =>
  outcome === 'complete' || status === ANSWER_LOST;

/**
 * Status of a retry whose original call was made by a process that was then killed: the certificate
 * exists but the response is lost.
 */
export const ANSWER_LOST = '409 idempotency_answer_lost';

/**
 * Retries one call of each key that has no final response, until it has one or `patienceMs` have
 * passed. Returns all attempts.
 */
export const returnToKeys = async (
  system: Address,
  calls: readonly CallRecord[],
  patienceMs: number,
): Promise<CallRecord[]> => {
  const deadline = Date.now() + patienceMs;
  const tries = findOpen(calls).map(async ({ content, isStreamed, key }) => {
    const own: CallRecord[] = [];
    for (;;) {
      const record = await runCall(system, { content, isStreamed, ...(key ? { key } : {}) });
      own.push(record);
      if (isFinal(record) || Date.now() > deadline) return own;
      await pause(BACK_OFF_MS * 5);
    }
  });
  return (await Promise.all(tries)).flat();
};

/** Returns the first call of each key that has no final response. */
export const findOpen = (calls: readonly CallRecord[]): CallRecord[] =>
  [...Map.groupBy(calls, ({ key }) => key)].flatMap(([key, group]) =>
    key === undefined || group.some(isFinal) ? [] : [group[0]!],
  );
