import { context, isSpanContextValid, propagation, trace, TraceFlags } from '@opentelemetry/api';
import type { Link } from '@opentelemetry/api';

/** A trace context as headers of a message: `traceparent`, and `tracestate` if there is one. */
export type TraceCarrier = Readonly<Record<string, string>>;

/** Omits `baggage`, because it can contain arbitrary content. */
const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

export const captureTrace = (): Record<string, string> => {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return pickTraceHeaders(carrier);
};

export const pickTraceHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> => {
  const picked: Record<string, string> = {};
  for (const name of TRACE_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') picked[name] = value;
  }
  return picked;
};

/** Runs `work` as part of the trace in `carrier`, or outside of any trace if `carrier` is empty. */
export const continueTrace = <T>(carrier: TraceCarrier, work: () => T): T =>
  carrier.traceparent
    ? context.with(propagation.extract(trace.deleteSpan(context.active()), carrier), work)
    : withoutTrace(work);

/** Runs `work` outside of any trace. Use it for work that outlives the call that starts it. */
export const withoutTrace = <T>(work: () => T): T =>
  isTraced() ? context.with(trace.deleteSpan(context.active()), work) : work();

const isTraced = (): boolean => trace.getSpan(context.active()) !== undefined;

/**
 * Returns a function that runs `work` in the trace context that is active now, whenever it is
 * called.
 */
export const bindTrace = <Args extends unknown[], T>(
  work: (...args: Args) => T,
): ((...args: Args) => T) => context.bind(context.active(), work);

export const toSpanLinks = (carriers: readonly TraceCarrier[]): Link[] =>
  carriers.flatMap((carrier) => {
    if (!carrier.traceparent) return [];
    const spanContext = trace.getSpanContext(propagation.extract(context.active(), carrier));
    const isSampled =
      spanContext && isSpanContextValid(spanContext) && spanContext.traceFlags & TraceFlags.SAMPLED;
    return isSampled ? [{ context: spanContext }] : [];
  });
