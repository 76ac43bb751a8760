import { context, createContextKey, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Link, Span, Tracer } from '@opentelemetry/api';
import { isServiceError } from '@witan/contracts';
import { isServerError } from '../rpc/status.ts';

export type SpanRole = 'server' | 'client' | 'consumer' | 'internal';

/** Names, counts and ids. Must contain no content, such as prompts or answers. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

export type SpanOptions = { name: string; role: SpanRole; attributes?: SpanAttributes };

export type OpenSpan = {
  setAttributes: (attributes: SpanAttributes) => void;
  /** Replaces the name, for a part of it that is known only during the work. */
  rename: (name: string) => void;
  fail: (type: string) => void;
};

const KINDS: Record<SpanRole, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

const TRACER = createContextKey('tracer of the service');

export const withTracer = (tracer: Tracer | undefined, parentContext: Context): Context =>
  tracer ? parentContext.setValue(TRACER, tracer) : parentContext;

/**
 * Returns a function that runs `work` with the tracer that is active now, in the trace that is
 * active then; undefined if nothing is exported.
 */
export const captureTracer = (): (<T>(work: () => T) => T) | undefined => {
  const tracer = context.active().getValue(TRACER) as Tracer | undefined;
  return tracer && ((work) => context.with(withTracer(tracer, context.active()), work));
};

/**
 * Runs `work` inside a span. The span fails if `work` rejects, except that errors caused by the
 * caller do not fail a server span. A client span is created only within another span, so that
 * polling the database starts no traces. Cheap while nothing is exported.
 */
export const withSpan = <T>(
  options: SpanOptions,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> => {
  const parentContext = context.active();
  const span = startSpan(options, parentContext);
  return span ? runInSpan(span, options.role, parentContext, work) : work(NOOP_SPAN);
};

const runInSpan = async <T>(
  span: Span,
  role: SpanRole,
  parentContext: Context,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> => {
  try {
    return await context.with(trace.setSpan(parentContext, span), () => work(toOpenSpan(span)));
  } catch (error) {
    recordError(span, error, role);
    throw error;
  } finally {
    span.end();
  }
};

/**
 * Iterates inside a span, which starts and fails as in `withSpan`. Every step of the iteration has
 * the span as its active span.
 */
export async function* withSpanOver<T>(
  options: SpanOptions,
  open: (span: OpenSpan) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const parentContext = context.active();
  const span = startSpan(options, parentContext);
  if (!span) return yield* open(NOOP_SPAN);
  const childContext = trace.setSpan(parentContext, span);
  const iterator = context.with(childContext, () => open(toOpenSpan(span))[Symbol.asyncIterator]());
  try {
    for (;;) {
      const result = await context.with(childContext, () => iterator.next());
      if (result.done) return;
      yield result.value;
    }
  } catch (error) {
    recordError(span, error, options.role);
    throw error;
  } finally {
    await context.with(childContext, async () => iterator.return?.());
    span.end();
  }
}

export type EndedSpan = SpanOptions & {
  durationMs: number;
  errorType?: string;
  /**
   * Links to the traces for which the work was done. Omit them to make the span a child of the
   * active span.
   */
  links?: readonly Link[];
};

/** Records a span of `durationMs` that ends now. With links the span starts a new trace. */
export const recordSpan = ({ durationMs, errorType: type, links, ...options }: EndedSpan): void => {
  const endTime = performance.timeOrigin + performance.now();
  const spanOptions = { startTime: endTime - durationMs, ...(links ? { root: true, links } : {}) };
  const span = startSpan(options, context.active(), spanOptions);
  if (!span) return;
  if (type) markFailed(span, type);
  span.end(endTime);
};

const startSpan = (
  { name, role, attributes = {} }: SpanOptions,
  parentContext: Context,
  spanOptions: { startTime?: number; root?: boolean; links?: readonly Link[] } = {},
): Span | undefined => {
  const tracer = parentContext.getValue(TRACER) as Tracer | undefined;
  if (!tracer || (role === 'client' && !trace.getSpan(parentContext))) return undefined;
  const { links = [], ...rest } = spanOptions;
  const kind = KINDS[role];
  return tracer.startSpan(name, { kind, attributes, links: [...links], ...rest }, parentContext);
};

const toOpenSpan = (span: Span): OpenSpan => ({
  setAttributes: (attributes) => void span.setAttributes(attributes),
  rename: (name) => void span.updateName(name),
  fail: (type) => markFailed(span, type),
});

const NOOP_SPAN: OpenSpan = { setAttributes: () => {}, rename: () => {}, fail: () => {} };

/**
 * Marks a span as failed. Records only the type of the error, because messages and stacks can quote
 * content.
 */
const markFailed = (span: Span, type: string): void => {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

const recordError = (span: Span, error: unknown, role: SpanRole): void => {
  if (role === 'server' && isServiceError(error) && !isServerError(error.reason)) {
    span.setAttribute('error.type', error.reason);
  } else markFailed(span, typeOf(error));
};

const typeOf = (error: unknown): string => {
  if (isServiceError(error)) return error.reason;
  return Error.isError(error) ? error.name : 'Error';
};
