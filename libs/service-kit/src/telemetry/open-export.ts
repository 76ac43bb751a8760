import { randomUUID } from 'node:crypto';
import { context, propagation } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../log/create-log.ts';
import type { TelemetrySettings } from './read-telemetry.ts';

const NAMESPACE = 'witan';
const STOP_TIMEOUT_MS = 3_000;
const VALUE_LENGTH_MAX = 256;

/**
 * Exports spans in the background, in batches. Drops spans when the collector is too slow and the
 * queue is full. Throws if this process already exports spans.
 */
export const openExport = (
  settings: TelemetrySettings,
  log: Log,
  exporter: SpanExporter = new OTLPTraceExporter({ url: settings.tracesUrl }),
): Telemetry => {
  if (!context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())) {
    throw new Error('This process exports spans already.');
  }
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const { batchDelayMs: scheduledDelayMillis, queueMax, batchMax } = settings;
  const processor = new BatchSpanProcessor({
    exporter: createLoggingExporter(exporter, log),
    scheduledDelayMillis,
    maxQueueSize: queueMax,
    maxExportBatchSize: Math.min(batchMax, queueMax),
  });
  const sampler = toSampler(settings);
  const instance = randomUUID();
  const tracers = new Map<string, Tracer>();
  const createTracer = (service: string): Tracer =>
    new TracerProvider({
      sampler,
      resource: resourceFromAttributes({
        'service.namespace': NAMESPACE,
        'service.instance.id': instance,
        'service.name': service,
        ...settings.resource,
        ...(settings.serviceName ? { 'service.name': settings.serviceName } : {}),
      }),
      spanLimits: { attributeValueLengthLimit: VALUE_LENGTH_MAX },
      spanProcessors: [processor],
    }).getTracer(NAMESPACE);
  const tracesUrl = withoutSecrets(settings.tracesUrl);
  log.info({ event: 'span_export_started', tracesUrl }, 'Span export started');
  return {
    tracerOf: (service) => {
      const tracer = tracers.get(service) ?? createTracer(service);
      tracers.set(service, tracer);
      return tracer;
    },
    stop: async () => {
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, STOP_TIMEOUT_MS);
      await Promise.race([processor.shutdown().catch(() => {}), timer.promise]);
      clearTimeout(timeout);
      context.disable();
      propagation.disable();
    },
  };
};

/**
 * Returns the URL without credentials and query, because collectors may be authenticated by a user
 * name and password or by a key in the query.
 */
const withoutSecrets = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
};

const toSampler = ({ sampler, sampleRatio }: TelemetrySettings): Sampler => {
  const root = toRootSampler(sampler.replace('parentbased_', ''), sampleRatio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
};

const toRootSampler = (name: string, ratio: number): Sampler => {
  if (name === 'always_on') return new AlwaysOnSampler();
  return name === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
};

export type Telemetry = {
  tracerOf: (service: string) => Tracer | undefined;
  /** Exports the queued spans, but waits 3 s at most. Never rejects. */
  stop: () => Promise<void>;
};

const LOG_INTERVAL_MS = 60_000;

/** Wraps a span exporter and logs its failures, at a limited rate, and its recovery. */
export const createLoggingExporter = (
  exporter: SpanExporter,
  log: Pick<Log, 'info' | 'warn'>,
  now: () => number = () => performance.now(),
): SpanExporter => {
  let lostSpans = 0;
  let loggedAt = -Infinity;
  let isFailing = false;
  const onFailed = (count: number, err: Error | undefined): void => {
    lostSpans += count;
    isFailing = true;
    if (now() - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = now();
    log.warn({ event: 'span_export_failed', err, lostSpans }, 'Span export failed');
  };
  const onExported = (): void => {
    if (isFailing) {
      log.info({ event: 'span_export_recovered', lostSpans }, 'Span export recovered');
    }
    isFailing = false;
    lostSpans = 0;
  };
  return {
    export: (spans, onResult) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) onExported();
        else onFailed(spans.length, result.error);
        onResult(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush ? { forceFlush: () => exporter.forceFlush!() } : {}),
  };
};
