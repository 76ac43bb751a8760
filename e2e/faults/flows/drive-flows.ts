import { driveWorkers } from '../drive-workers.ts';
import type { Load } from '../drive-workers.ts';
import type { Flow } from './flow.ts';

/**
 * A finished call. `error` is empty if the response was complete; times are in milliseconds since
 * the epoch.
 */
export type FlowCall = { flow: string; error: string; startedAt: number; endedAt: number };

export const isFailed = ({ error }: FlowCall): boolean => error !== '';

/** Keeps one call of each flow in flight until stopped. */
export const driveFlows = (flows: readonly Flow[]): Load<FlowCall> =>
  driveWorkers(
    flows.map(({ name, call }) => async () => {
      const startedAt = Date.now();
      const error = await call();
      return { flow: name, error, startedAt, endedAt: Date.now() };
    }),
    isFailed,
  );
