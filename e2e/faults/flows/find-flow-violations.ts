import type { FlowCall } from './flow.ts';

/** Matches a 5xx response with an error in the edge's format. */
const ERROR_RESPONSE = /^5\d\d \{"error":\{.*"code":"[a-z_]+"/s;
/** Matches a stream whose last event is an error in the edge's format. */
const ERROR_EVENT = /^200 event: error\ndata: \{"error":\{.*"code":"[a-z_]+"/s;
/** Matches a broken connection, which is allowed only if the edge itself was signalled. */
const BROKEN = /^(?:0 |200 )/;

/**
 * Returns a violation for each failed call whose client got no well-formed error. Broken
 * connections are allowed if the edge itself was signalled.
 */
export const findFlowViolations = (
  calls: readonly FlowCall[],
  { isEdgeSignalled }: { isEdgeSignalled: boolean },
): string[] =>
  calls
    .filter(({ error }) => error !== '')
    .filter(({ error }) => !ERROR_RESPONSE.test(error) && !ERROR_EVENT.test(error))
    .filter(({ error }) => !(isEdgeSignalled && BROKEN.test(error)))
    .map(({ flow, error }) => `${flow}: ${error}`);
