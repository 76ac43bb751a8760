import { context, isSpanContextValid, propagation, trace, TraceFlags } from '@opentelemetry/api';
import type { Link } from '@opentelemetry/api';

/** A trace on its way to somebody else: `traceparent`, and `tracestate` if there is one. */
export type TraceCarrier = Readonly<Record<string, string>>;

/** What travels of a trace; baggage may hold anything and stays. */
const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/** The trace that runs here; empty without one. */
export const captureTrace = (): Record<string, string> => {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return pickTraceHeaders(carrier);
};

/** What of headers is about the trace. */
export const pickTraceHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    TRACE_HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );

/** Runs `work` as part of the trace that was carried here, and of no other one. */
export const continueTrace = <T>(carrier: TraceCarrier, work: () => T): T =>
  context.with(propagation.extract(trace.deleteSpan(context.active()), carrier), work);

/** Runs `work`, which outlives who asked for it, as part of no trace. */
export const withoutTrace = <T>(work: () => T): T =>
  context.with(trace.deleteSpan(context.active()), work);

/** Runs it where it was made, as far as traces go: whoever calls it may come from anywhere. */
export const bindTrace = <Args extends unknown[], T>(
  work: (...args: Args) => T,
): ((...args: Args) => T) => context.bind(context.active(), work);

/** Links to those of the traces that somebody looks at. */
export const toSpanLinks = (carriers: readonly TraceCarrier[]): Link[] =>
  carriers.flatMap((carrier) => {
    if (!carrier.traceparent) return [];
    const spanContext = trace.getSpanContext(propagation.extract(context.active(), carrier));
    const isSampled =
      spanContext && isSpanContextValid(spanContext) && spanContext.traceFlags & TraceFlags.SAMPLED;
    return isSampled ? [{ context: spanContext }] : [];
  });
