import type { Tracer } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../log/create-log.ts';
import type { TelemetrySettings } from './read-telemetry.ts';

export type { SpanExporter };

/** Where the spans of one process go. */
export type Telemetry = {
  /** The tracer of a service; undefined while nothing is exported. */
  tracerOf: (service: string) => Tracer | undefined;
  /** Sends what waits, for a few seconds at most. Never rejects. */
  stop: () => Promise<void>;
};

/**
 * Starts to export spans; without settings nothing happens, and nothing of the exporter is loaded.
 * One a process: OpenTelemetry keeps the trace that runs in a place that is the process's own.
 */
export const openTelemetry = async (
  settings: TelemetrySettings | undefined,
  log: Log,
  /** Instead of the one that sends them to the collector. */
  exporter?: SpanExporter,
): Promise<Telemetry> => {
  if (!settings) return { tracerOf: () => undefined, stop: async () => {} };
  const { openExport } = await import('./open-export.ts');
  return openExport(settings, log, exporter);
};
