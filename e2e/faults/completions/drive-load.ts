import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import type { Random } from '../random.ts';
import { runCall } from './run-call.ts';
import type { CallRecord } from './run-call.ts';

export type Load = {
  /** The records of all calls that have ended, in the order of their end. */
  endedCalls: readonly CallRecord[];
  pending: () => number;
  /** Starts no new calls and waits for those in flight. */
  stop: () => Promise<void>;
};

/** Pause of a client after a failed call. */
const BACK_OFF_MS = 100;

/**
 * Keeps `inFlight` calls in flight until stopped, about half of them streamed, each with a unique
 * body.
 */
export const driveLoad = (
  system: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  options: { inFlight: number; random: Random; name: string },
): Load => {
  const endedCalls: CallRecord[] = [];
  let isStopping = false;
  let started = 0;
  const runWorker = async (): Promise<void> => {
    while (!isStopping) {
      started += 1;
      const content = `${options.name} call ${started}`;
      const isStreamed = options.random.next() < 0.5;
      const record = await runCall(system, { content, isStreamed });
      endedCalls.push(record);
      if (record.outcome !== 'complete') await pause(BACK_OFF_MS);
    }
  };
  const workers = Promise.all(Array.from({ length: options.inFlight }, runWorker));
  return {
    endedCalls,
    pending: () => started - endedCalls.length,
    stop: async () => {
      isStopping = true;
      await workers;
    },
  };
};
