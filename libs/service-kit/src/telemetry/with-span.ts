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
 * Runs `work` inside a span. The span fails if `work` rejects, except that errors caused by the
 * caller do not fail a server span. A client span is created only within another span, so that
 * polling the database starts no traces. Cheap while nothing is exported.
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

/**
 * Iterates inside a span, which starts and fails as in `withSpan`. Every step of the iteration has
 * the span as its active span.
 */
export async function* withSpanOver<T>(
  options: SpanOptions,
  open: (span: OpenSpan) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const parentContext = context.active();
  const opened = startSpan(options, parentContext);
  if (!opened) return yield* open(NOOP_SPAN);
  const childContext = trace.setSpan(parentContext, opened);
  const iterator = context.with(childContext, () =>
    open(toOpenSpan(opened))[Symbol.asyncIterator](),
  );
  try {
    for (;;) {
      const result = await context.with(childContext, () => iterator.next());
      if (result.done) return;
      yield result.value;
    }
  } catch (error) {
    recordError(opened, error, options.role);
    throw error;
  } finally {
    await context.with(childContext, async () => iterator.return?.());
    opened.end();
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

/**
 * Marks a span as failed. Records only the type of the error, because messages and stacks can quote
 * content.
 */
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
