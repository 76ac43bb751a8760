import type { SystemFile } from '@witan/stack';
import type { Random } from '../faults/random.ts';
import { sendCall } from './send-call.ts';
import type { SoakRecord } from './send-call.ts';
import { drawCall } from './soak-call.ts';

export const IN_FLIGHT = 64;

export type Load = {
  /** The records of all calls that have ended. */
  records: readonly SoakRecord[];
  /** Starts no new calls and waits for those in flight. */
  stop: () => Promise<void>;
};

/** Keeps {@link IN_FLIGHT} streamed calls in flight until stopped. */
export const driveStreams = (
  system: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  random: Random,
): Load => {
  const records: SoakRecord[] = [];
  let isStopping = false;
  let started = 0;
  const runWorker = async (): Promise<void> => {
    while (!isStopping) {
      started += 1;
      records.push(await sendCall(system, drawCall(started, random)));
    }
  };
  const workers = Promise.all(Array.from({ length: IN_FLIGHT }, runWorker));
  return {
    records,
    stop: async () => {
      isStopping = true;
      await workers;
    },
  };
};
