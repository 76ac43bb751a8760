import type { FlowCall } from './drive-flows.ts';

/** An error in the edge's format. */
const TOLD = /^5\d\d \{"error":\{.*"code":"[a-z_]+"/s;
/** An error as the last event of a started stream. */
const TOLD_IN_STREAM = /^200 event: error\ndata: \{"error":\{.*"code":"[a-z_]+"/s;
/** Only clients of a dying process see a broken connection. */
const BROKEN = /^(?:0 |200 )/;

/**
 * Returns calls that failed around a strike without a proper error. Connections may break when the
 * edge itself dies.
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
