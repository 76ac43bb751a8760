import { driveWorkers } from '../drive-workers.ts';
import type { Load } from '../drive-workers.ts';

/** A kind of call, such as a chat turn, that is repeated during the run. */
export type Flow = {
  name: string;
  /**
   * Makes one call. Resolves with an empty string if the call succeeded, otherwise with the error;
   * never rejects.
   */
  call: () => Promise<string>;
  /**
   * Returns a violation for each inconsistency in what the calls have stored. Must be called when
   * no call is in flight.
   */
  check: () => Promise<string[]>;
};

/** The `check` of flows that store nothing; returns no violations. */
export const checkNothing = async (): Promise<string[]> => [];

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
