import type { FlowCall } from './drive-flows.ts';

/** An error in the edge's format. */
const ERROR_RESPONSE = /^5\d\d \{"error":\{.*"code":"[a-z_]+"/s;
/** An error as the last event of a started stream. */
const ERROR_EVENT = /^200 event: error\ndata: \{"error":\{.*"code":"[a-z_]+"/s;
/** Results of a broken connection, which only clients of a dying edge may see. */
const BROKEN = /^(?:0 |200 )/;

/**
 * Returns the calls that failed around a strike without a proper error. Connections may break when
 * the edge itself dies.
 */
export const findFlowViolations = (
  calls: readonly FlowCall[],
  { isEdgeStruck }: { isEdgeStruck: boolean },
): string[] =>
  calls
    .filter(({ error }) => error !== '')
    .filter(({ error }) => !ERROR_RESPONSE.test(error) && !ERROR_EVENT.test(error))
    .filter(({ error }) => !(isEdgeStruck && BROKEN.test(error)))
    .map(({ flow, error }) => `${flow}: ${error}`);
