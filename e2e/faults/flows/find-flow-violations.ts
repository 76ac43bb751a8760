import type { FlowCall } from './drive-flows.ts';

/** An error says what it is, in the shape of the edge's errors. */
const TOLD = /^5\d\d \{"error":\{.*"code":"[a-z_]+"/s;
/** A stream that began tells its end as its last event. */
const TOLD_IN_STREAM = /^200 event: error\ndata: \{"error":\{.*"code":"[a-z_]+"/s;
/** Only who talks to a process that dies sees the connection break. */
const BROKEN = /^(?:0 |200 )/;

/**
 * Calls that failed while a process was struck, and were not told so as the edge tells failures.
 * Connections may break when the edge itself dies.
 */
export const findFlowViolations = (
  calls: readonly FlowCall[],
  { isEdgeStruck }: { isEdgeStruck: boolean },
): string[] =>
  calls
    .filter(({ fault }) => fault !== '')
    .filter(({ fault }) => !TOLD.test(fault) && !TOLD_IN_STREAM.test(fault))
    .filter(({ fault }) => !(isEdgeStruck && BROKEN.test(fault)))
    .map(({ flow, fault }) => `${flow}: ${fault}`);
