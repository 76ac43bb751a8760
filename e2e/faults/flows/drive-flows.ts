import { setTimeout as pause } from 'node:timers/promises';
import type { Flow } from './flow.ts';

/** One finished call; `error` is empty after a complete response. Times as `Date.now()`. */
export type FlowCall = { flow: string; error: string; startedAt: number; endedAt: number };

export type FlowLoad = {
  ended: readonly FlowCall[];
  /** Starts no new call and waits for the calls in flight. */
  stop: () => Promise<void>;
};

/** Pause of a refused client before its next call. */
const BACK_OFF_MS = 100;

/** Makes calls so that one call of each flow is always in flight. */
export const driveFlows = (flows: readonly Flow[]): FlowLoad => {
  const ended: FlowCall[] = [];
  let isStopping = false;
  const work = async ({ name, call }: Flow): Promise<void> => {
    while (!isStopping) {
      const startedAt = Date.now();
      const error = await call();
      ended.push({ flow: name, error, startedAt, endedAt: Date.now() });
      if (error !== '') await pause(BACK_OFF_MS);
    }
  };
  const workers = Promise.all(flows.map(work));
  return {
    ended,
    stop: async () => {
      isStopping = true;
      await workers;
    },
  };
};
