import { context, createContextKey, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Link, Span, Tracer } from '@opentelemetry/api';
import { isServiceError } from '@witan/contracts';
import { isServerError } from '../rpc/status.ts';

/** Where the work stands: answering a call, making one, handling a message, or none of these. */
export type SpanRole = 'server' | 'client' | 'consumer' | 'internal';

/** Names, counts and ids; never content, nor what somebody may have written content into. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

export type SpanOptions = { name: string; role: SpanRole; attributes?: SpanAttributes };

/** A span while its work runs. */
export type OpenSpan = {
  setAttributes: (attributes: SpanAttributes) => void;
  /** Marks the work as failed; `type` is of a closed set. */
  fail: (type: string) => void;
};

const KINDS: Record<SpanRole, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** In a context: the tracer of the service that works in it. Absent while nothing is exported. */
const TRACER = createContextKey('tracer of the service');

/** The context in which spans belong to the tracer's service; the same one without a tracer. */
export const withTracer = (tracer: Tracer | undefined, parentContext: Context): Context =>
  tracer ? parentContext.setValue(TRACER, tracer) : parentContext;

/**
 * Runs `work` inside a span of the service that works here, which fails as the work does; what is
 * the caller's fault is no failure of a server. A client's span needs one around it: a loop that
 * asks the database every second is no trace. Costs a look-up while nothing is exported.
 */
export const withSpan = async <T>(
  options: SpanOptions,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> => {
  const parentContext = context.active();
  const opened = startSpan(options, parentContext);
  if (!opened) return await work(NOOP_SPAN);
  try {
    return await context.with(trace.setSpan(parentContext, opened), () => work(toOpenSpan(opened)));
  } catch (error) {
    recordError(opened, error, options.role);
    throw error;
  } finally {
    opened.end();
  }
};

/** The same around all that an iteration does, from its first step to its last. */
export async function* withSpanOver<T>(
  options: SpanOptions,
  open: (span: OpenSpan) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const parentContext = context.active();
  const opened = startSpan(options, parentContext);
  if (!opened) return yield* open(NOOP_SPAN);
  const spanContext = trace.setSpan(parentContext, opened);
  const iterator = context.with(spanContext, () =>
    open(toOpenSpan(opened))[Symbol.asyncIterator](),
  );
  try {
    for (;;) {
      const result = await context.with(spanContext, () => iterator.next());
      if (result.done) return;
      yield result.value;
    }
  } catch (error) {
    recordError(opened, error, options.role);
    throw error;
  } finally {
    // When the reader leaves early, the iteration hears of it.
    await context.with(spanContext, async () => iterator.return?.());
    opened.end();
  }
}

/** Something that has just ended: `links` are the traces that it was done for. */
export type EndedSpan = SpanOptions & {
  durationMs: number;
  /** Absent: it went well. */
  errorType?: string;
  /** Absent: it is part of what runs here. */
  links?: readonly Link[];
};

/** Writes down what has just ended; what was done for several traces at once is one of its own. */
export const recordSpan = ({ durationMs, errorType: type, links, ...options }: EndedSpan): void => {
  const endTime = performance.timeOrigin + performance.now();
  const more = { startTime: endTime - durationMs, ...(links ? { root: true, links } : {}) };
  const opened = startSpan(options, context.active(), more);
  if (!opened) return;
  if (type) markFailed(opened, type);
  opened.end(endTime);
};

const startSpan = (
  { name, role, attributes = {} }: SpanOptions,
  parentContext: Context,
  more: { startTime?: number; root?: boolean; links?: readonly Link[] } = {},
): Span | undefined => {
  const tracer = parentContext.getValue(TRACER) as Tracer | undefined;
  if (!tracer || (role === 'client' && !trace.getSpan(parentContext))) return undefined;
  const { links = [], ...rest } = more;
  const kind = KINDS[role];
  return tracer.startSpan(name, { kind, attributes, links: [...links], ...rest }, parentContext);
};

const toOpenSpan = (opened: Span): OpenSpan => ({
  setAttributes: (attributes) => void opened.setAttributes(attributes),
  fail: (type) => markFailed(opened, type),
});

const NOOP_SPAN: OpenSpan = { setAttributes: () => {}, fail: () => {} };

/** Messages and stacks of errors may quote what they choked on: the type has to do. */
const markFailed = (opened: Span, type: string): void => {
  opened.setAttribute('error.type', type);
  opened.setStatus({ code: SpanStatusCode.ERROR });
};

const recordError = (opened: Span, error: unknown, role: SpanRole): void => {
  if (role === 'server' && isServiceError(error) && !isServerError(error.reason)) {
    opened.setAttribute('error.type', error.reason);
  } else markFailed(opened, typeOf(error));
};

const typeOf = (error: unknown): string => {
  if (isServiceError(error)) return error.reason;
  return Error.isError(error) ? error.name : 'Error';
};
