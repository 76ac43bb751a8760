import { setTimeout as pause } from 'node:timers/promises';

/** Concurrent calls that are repeated until they are stopped. */
export type Load<Call> = {
  /** The records of all calls that have ended, in the order of their end. */
  endedCalls: readonly Call[];
  /** Starts no new calls and waits for those in flight. */
  stop: () => Promise<void>;
};

/** Makes one call and returns its record; never rejects. `number` counts all calls from 1. */
export type MakeCall<Call> = (number: number) => Promise<Call>;

/** Pause of a worker after a failed call. */
export const BACK_OFF_MS = 100;

/** Runs one worker for each member of `workers`; each makes its calls one after another. */
export const driveWorkers = <Call>(
  workers: readonly MakeCall<Call>[],
  isFailed: (call: Call) => boolean,
): Load<Call> => {
  const endedCalls: Call[] = [];
  let isStopping = false;
  let started = 0;
  const work = async (makeCall: MakeCall<Call>): Promise<void> => {
    while (!isStopping) {
      started += 1;
      const call = await makeCall(started);
      endedCalls.push(call);
      if (isFailed(call)) await pause(BACK_OFF_MS);
    }
  };
  const ended = Promise.all(workers.map(work));
  return {
    endedCalls,
    stop: async () => {
      isStopping = true;
      await ended;
    },
  };
};
