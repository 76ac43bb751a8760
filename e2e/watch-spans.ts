import { eventually } from '@witan/testing';
import type { TestSystemOptions } from '@witan/testing';

type Exporter = NonNullable<TestSystemOptions['exporter']>;
type Exported = Parameters<Exporter['export']>[0][number];

export type SeenSpan = {
  service: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  traceId: string;
  spanId: string;
  /** Id of the parent span; undefined for a root span. */
  parentId: string | undefined;
  attributes: Readonly<Record<string, unknown>>;
  hasFailed: boolean;
  links: string[];
};

export type SpanWatch = {
  options: Pick<TestSystemOptions, 'exporter' | 'env'>;
  spans: readonly SeenSpan[];
  text: () => string;
  /**
   * Resolves with the spans of the trace that contains a span accepted by `matches`, once the trace
   * has spans with all these names and no span's parent is missing.
   */
  whenTrace: (
    matches: (span: SeenSpan) => boolean,
    names: readonly string[],
  ) => Promise<readonly SeenSpan[]>;
};

/** In the order of OpenTelemetry's numbers. */
const KINDS = ['internal', 'server', 'client', 'producer', 'consumer'] as const;
const STATUS_ERROR: Exported['status']['code'] = 2;
const SUCCESS = 0;

/** Records the spans of the services, which export them about 10 ms after their end. */
export const watchSpans = (): SpanWatch => {
  const spans: SeenSpan[] = [];
  const exportedSpans: Exported[] = [];
  const exporter: Exporter = {
    export: (exported, onResult) => {
      exportedSpans.push(...exported);
      spans.push(...exported.map(toSeen));
      onResult({ code: SUCCESS });
    },
    shutdown: async () => {},
  };
  return {
    options: {
      exporter,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.invalid:4318',
        OTEL_BSP_SCHEDULE_DELAY: '10',
      },
    },
    spans,
    text: () => exportedSpans.map(toText).join('\n'),
    whenTrace: (matches, names) =>
      eventually(
        () => {
          const one = spans.find(matches);
          if (!one) return undefined;
          const trace = spans.filter(({ traceId }) => traceId === one.traceId);
          const presentNames = new Set(trace.map(({ name }) => name));
          return names.every((name) => presentNames.has(name)) && hasAllParents(trace) && trace;
        },
        `A trace with ${names.join(', ')}`,
      ),
  };
};

/** Returns whether the trace contains the parent of every span. */
const hasAllParents = (trace: readonly SeenSpan[]): boolean => {
  const ids = new Set(trace.map(({ spanId }) => spanId));
  return trace.every(({ parentId }) => parentId === undefined || ids.has(parentId));
};

const toSeen = (span: Exported): SeenSpan => ({
  service: String(span.resource.attributes['service.name']),
  name: span.name,
  kind: KINDS[span.kind],
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parentId: span.parentSpanContext?.spanId,
  attributes: span.attributes,
  hasFailed: span.status.code === STATUS_ERROR,
  links: span.links.map(({ context }) => context.traceId),
});

const toText = ({ name, attributes, status, events, links, resource }: Exported): string =>
  JSON.stringify({ name, attributes, status, events, links, resource: resource.attributes });

/**
 * Returns the pairs of services that call each other in the trace, as `caller > called`, sorted and
 * without duplicates.
 */
export const hopsOf = (trace: readonly SeenSpan[]): string[] => {
  const byId = new Map(trace.map((span) => [span.spanId, span]));
  const hops = trace.flatMap((span) => {
    const parent = span.parentId === undefined ? undefined : byId.get(span.parentId);
    return parent && parent.service !== span.service ? [`${parent.service} > ${span.service}`] : [];
  });
  return [...new Set(hops)].toSorted();
};

/**
 * Returns service and name of each span on the path from the root span to `last`, as `service:
 * name`.
 */
export const pathOf = (trace: readonly SeenSpan[], last: SeenSpan): string[] => {
  const parent = trace.find(({ spanId }) => spanId === last.parentId);
  return [...(parent ? pathOf(trace, parent) : []), `${last.service}: ${last.name}`];
};
