import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../log/create-log.ts';
import type { TelemetrySettings } from './read-telemetry.ts';
import type { Telemetry } from './open-export.ts';

export type { SpanExporter };

/**
 * Starts the export of spans. Without settings it exports nothing and does not load the exporter.
 * Only one export can be open in a process, because OpenTelemetry's context manager is global.
 */
export const openTelemetry = async (
  settings: TelemetrySettings | undefined,
  log: Log,
  exporter?: SpanExporter,
): Promise<Telemetry> => {
  if (!settings) return { tracerOf: () => undefined, stop: async () => {} };
  const { openExport } = await import('./open-export.ts');
  return openExport(settings, log, exporter);
};
