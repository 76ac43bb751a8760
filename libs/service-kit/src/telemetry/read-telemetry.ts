import type { EnvReader } from '../config/read-env.ts';

export const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

export type TelemetrySettings = {
  /**
   * URL to which traces are sent, including the path. The protocol is OTLP over HTTP with protobuf.
   */
  tracesUrl: string;
  sampler: (typeof SAMPLERS)[number];
  sampleRatio: number;
  serviceName: string | undefined;
  resource: Readonly<Record<string, string>>;
  batchDelayMs: number;
  queueMax: number;
  batchMax: number;
};

const TRACES_PATH = 'v1/traces';
const PROTOCOLS = ['http/protobuf'] as const;
const BATCH_DELAY_MS = 5_000;
const BATCH_DELAY_MAX_MS = 600_000;
const QUEUE_DEFAULT = 2_048;
const BATCH_DEFAULT = 512;
const QUEUE_MAX = 1_000_000;

/**
 * Reads OpenTelemetry's environment variables for traces. Unlike in its specification, there is no
 * default endpoint. Returns undefined if traces are not exported. The exporter itself reads the
 * variables for the connection to the collector (headers, certificates, compression, timeouts).
 */
export const readTelemetry = (read: EnvReader): TelemetrySettings | undefined => {
  const tracesUrl = readTracesUrl(read);
  const protocol = read.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS, 'http/protobuf');
  read.oneOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', PROTOCOLS, protocol);
  const exporter = read.oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp');
  const isDisabled = read.oneOf('OTEL_SDK_DISABLED', ['true', 'false'], 'false') === 'true';
  const queue = { min: 1, max: QUEUE_MAX, fallback: QUEUE_DEFAULT };
  const settings = {
    sampler: read.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
    sampleRatio: readSampleRatio(read),
    serviceName: read.optional('OTEL_SERVICE_NAME'),
    resource: readResource(read),
    batchDelayMs: read.integer('OTEL_BSP_SCHEDULE_DELAY', {
      min: 1,
      max: BATCH_DELAY_MAX_MS,
      fallback: BATCH_DELAY_MS,
    }),
    queueMax: read.integer('OTEL_BSP_MAX_QUEUE_SIZE', queue),
    batchMax: read.integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', { ...queue, fallback: BATCH_DEFAULT }),
  };
  const isEnabled = tracesUrl !== undefined && exporter === 'otlp' && !isDisabled;
  return isEnabled ? { tracesUrl, ...settings } : undefined;
};

/**
 * Returns the URL to which traces are sent. OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is used unchanged;
 * otherwise `v1/traces` is appended to OTEL_EXPORTER_OTLP_ENDPOINT.
 */
const readTracesUrl = (read: EnvReader): string | undefined => {
  const schemes = ['http:', 'https:'];
  const baseUrl = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', schemes);
  const tracesUrl = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', schemes);
  return tracesUrl ?? (baseUrl && `${baseUrl.replace(/\/$/, '')}/${TRACES_PATH}`);
};

const readSampleRatio = (read: EnvReader): number => {
  const text = read.optional('OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  read.addError(
    `OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not ${JSON.stringify(text)}`,
  );
  return 1;
};

/** Parses OTEL_RESOURCE_ATTRIBUTES: `key=value` pairs with percent-encoding (W3C baggage). */
const readResource = (read: EnvReader): Record<string, string> => {
  const pairs = read.list('OTEL_RESOURCE_ATTRIBUTES').map((pair) => {
    const [key = '', ...rest] = pair.split('=');
    return [key.trim(), rest.join('=').trim()] as const;
  });
  try {
    const decoded = pairs.map(([key, value]) => [key, decodeURIComponent(value)] as const);
    if (decoded.every(([key, value]) => key && value)) return Object.fromEntries(decoded);
  } catch {
    // An invalid percent-encoding; reported by `addError` below.
  }
  read.addError('OTEL_RESOURCE_ATTRIBUTES must be key=value pairs with commas between them');
  return {};
};
