import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import type { Load } from './drive-load.ts';
import { runCall } from './run-call.ts';
import type { CallRecord } from './run-call.ts';

type Address = Pick<SystemFile, 'baseUrl' | 'apiKey'>;

/** Keys that are used at the same time, and clients that send the same call under each. */
const KEYS_AT_ONCE = 8;
const CLIENTS_PER_KEY = 4;
/** A client that was refused does not come back at once. */
const BACK_OFF_MS = 100;
/** A call whose process was killed stays `running` for its lease; nobody waits for that here. */
const PATIENCE_MS = 2_000;

/**
 * A retry storm: several clients send the same plain call under one `Idempotency-Key` at once, and
 * again until it has its answer or their patience ends; then comes the next key.
 */
export const driveStorm = (system: Address, { name }: { name: string }): Load => {
  const ended: CallRecord[] = [];
  const all: Promise<unknown>[] = [];
  let isStopping = false;
  let keys = 0;
  let started = 0;
  const insist = async (key: string): Promise<void> => {
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
      const clients = Promise.all(Array.from({ length: CLIENTS_PER_KEY }, () => insist(key)));
      all.push(clients);
      // A call that waits for a service that is away holds nobody up but its own client.
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

/** The same call under the same key would be answered so for ever. */
export const isFinal = ({ outcome, status }: CallRecord): boolean =>
  outcome === 'complete' || status === ANSWER_LOST;

/** The call was carried out by a process that was killed: only its certificate is there. */
export const ANSWER_LOST = '409 idempotency_answer_lost';

/**
 * Sends the calls again that their clients gave up, each until it has its final answer or
 * `patienceMs` are over. Answers every try.
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

/** One call of each key that has no final answer yet. */
export const findOpen = (calls: readonly CallRecord[]): CallRecord[] =>
  [...Map.groupBy(calls, ({ key }) => key)].flatMap(([key, group]) =>
    key === undefined || group.some(isFinal) ? [] : [group[0]!],
  );
