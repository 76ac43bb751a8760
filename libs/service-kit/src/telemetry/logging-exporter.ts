import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../log/create-log.ts';

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
