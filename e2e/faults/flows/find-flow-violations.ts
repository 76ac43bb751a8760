import type { FlowCall } from './flow.ts';

/** Matches a 5xx response with an error in the api-gateway's format. */
const ERROR_RESPONSE = /^5\d\d \{"error":\{.*"code":"[a-z_]+"/s;
/** Matches a stream whose last event is an error in the api-gateway's format. */
const ERROR_EVENT = /^200 event: error\ndata: \{"error":\{.*"code":"[a-z_]+"/s;
/** Matches a broken connection, which is allowed only if the api-gateway itself was signalled. */
const BROKEN = /^(?:0 |200 )/;

/**
 * Returns a violation for each failed call whose client got no well-formed error. Broken
 * connections are allowed if the api-gateway itself was signalled.
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
