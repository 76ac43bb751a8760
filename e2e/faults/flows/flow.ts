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

/** Runs one worker for each flow until stopped; each makes one call after another. */
export const driveFlows = (flows: readonly Flow[]): Load<FlowCall> =>
  driveWorkers(
    flows.map(({ name, call }) => async () => {
      const startedAt = Date.now();
      const error = await call();
      return { flow: name, error, startedAt, endedAt: Date.now() };
    }),
    isFailed,
  );

/** Matches a 5xx response with an error in the api-gateway's format. */
const ERROR_RESPONSE = /^5\d\d \{"error":\{.*"code":"[a-z_]+"/s;
/** Matches a stream whose last event is an error in the api-gateway's format. */
const ERROR_EVENT = /^200 event: error\ndata: \{"error":\{.*"code":"[a-z_]+"/s;
/**
 * Matches a missing or incomplete response, which is allowed only if the api-gateway itself was
 * signalled.
 */
const BROKEN = /^(?:0 |200 )/;

/**
 * Returns a violation for each failed call whose client got no well-formed error. Missing and
 * incomplete responses are allowed if the api-gateway itself was signalled.
 */
export const findFlowViolations = (
  calls: readonly FlowCall[],
  { isGatewaySignalled }: { isGatewaySignalled: boolean },
): string[] =>
  calls
    .filter(({ error }) => error !== '')
    .filter(({ error }) => !ERROR_RESPONSE.test(error) && !ERROR_EVENT.test(error))
    .filter(({ error }) => !(isGatewaySignalled && BROKEN.test(error)))
    .map(({ flow, error }) => `${flow}: ${error}`);
