import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import type { Random } from '../random.ts';
import { runCall } from './run-call.ts';
import type { CallRecord } from './run-call.ts';

export type Load = {
  /** The calls that ended; `pending` counts the others. */
  ended: readonly CallRecord[];
  pending: () => number;
  /** Starts no new call and waits for the calls in flight. */
  stop: () => Promise<void>;
};

/** Pause of a refused client before its next call. */
const BACK_OFF_MS = 100;

/** Makes `inFlight` concurrent calls, plain and streamed, each with a unique body. */
export const driveLoad = (
  system: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  options: { inFlight: number; random: Random; name: string },
): Load => {
  const ended: CallRecord[] = [];
  let isStopping = false;
  let started = 0;
  const work = async (): Promise<void> => {
    while (!isStopping) {
      started += 1;
      const content = `${options.name} call ${started}`;
      const isStreamed = options.random.next() < 0.5;
      const record = await runCall(system, { content, isStreamed });
      ended.push(record);
      if (record.outcome !== 'complete') await pause(BACK_OFF_MS);
    }
  };
  const workers = Promise.all(Array.from({ length: options.inFlight }, work));
  return {
    ended,
    pending: () => started - ended.length,
    stop: async () => {
      isStopping = true;
      await workers;
    },
  };
};
