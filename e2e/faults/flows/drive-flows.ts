import { setTimeout as pause } from 'node:timers/promises';
import type { Flow } from './flow.ts';

/**
 * A finished call. `error` is empty if the response was complete; times are in milliseconds since
 * the epoch.
 */
export type FlowCall = { flow: string; error: string; startedAt: number; endedAt: number };

export type FlowLoad = {
  endedCalls: readonly FlowCall[];
  /** Starts no new calls and waits for those in flight. */
  stop: () => Promise<void>;
};

/** Pause of a flow after a failed call. */
const BACK_OFF_MS = 100;

/** Keeps one call of each flow in flight until stopped. */
export const driveFlows = (flows: readonly Flow[]): FlowLoad => {
  const endedCalls: FlowCall[] = [];
  let isStopping = false;
  const runWorker = async ({ name, call }: Flow): Promise<void> => {
    while (!isStopping) {
      const startedAt = Date.now();
      const error = await call();
      endedCalls.push({ flow: name, error, startedAt, endedAt: Date.now() });
      if (error !== '') await pause(BACK_OFF_MS);
    }
  };
  const workers = Promise.all(flows.map(runWorker));
  return {
    endedCalls,
    stop: async () => {
      isStopping = true;
      await workers;
    },
  };
};
