import type { Flow } from './flows.ts';

/** One call that ended; `fault` is empty when it was answered in full. */
export type FlowCall = { flow: string; fault: string; endedAt: number; tookMs: number };

export type FlowLoad = {
  ended: readonly FlowCall[];
  /** Starts no new call and waits for the last answer. */
  stop: () => Promise<void>;
};

/** Keeps one call of each flow going. */
export const driveFlows = (flows: readonly Flow[]): FlowLoad => {
  const ended: FlowCall[] = [];
  let isStopping = false;
  const work = async ({ name, call }: Flow): Promise<void> => {
    while (!isStopping) {
      const startedAt = Date.now();
      const fault = await call().catch(String);
      const endedAt = Date.now();
      ended.push({ flow: name, fault, endedAt, tookMs: endedAt - startedAt });
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
