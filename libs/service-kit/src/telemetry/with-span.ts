import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Where the work stands: answering a call, making one, or neither. */
export type SpanRole = 'server' | 'client' | 'internal';

const KINDS: Record<SpanRole, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/**
 * Runs `work` inside a span. Attributes are names, counts and ids, never content. Without an
 * exporter the OpenTelemetry API hands out spans that do nothing.
 */
export const withSpan = async <T>(
  span: { name: string; role: SpanRole; attributes?: Readonly<Record<string, string>> },
  work: () => Promise<T>,
): Promise<T> => {
  const { name, role, attributes = {} } = span;
  const opened = trace.getTracer('witan').startSpan(name, { kind: KINDS[role], attributes });
  try {
    return await context.with(trace.setSpan(context.active(), opened), work);
  } catch (error) {
    opened.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    opened.end();
  }
};
