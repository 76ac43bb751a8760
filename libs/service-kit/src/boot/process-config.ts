import { LOG_LEVELS } from '../log/create-log.ts';
import type { LogLevel } from '../log/create-log.ts';
import type { EnvReader } from '../config/read-env.ts';
import { readNatsUrl } from '../events/broker.ts';
import { UNKNOWN_REVISION } from './release.ts';
import { readTelemetry } from '../telemetry/read-telemetry.ts';
import type { TelemetrySettings } from '../telemetry/read-telemetry.ts';
import type { TlsPaths } from '../tls/read-tls-files.ts';

export const ENVIRONMENTS = ['production', 'development'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export type ProcessConfig = {
  environment: Environment;
  logLevel: LogLevel;
  grpcAddress: string;
  adminHost: string;
  adminPort: number;
  serviceKeyFile: string;
  servicePublicKeysFile: string;
  addresses: Readonly<Record<string, string>>;
  /**
   * PEM files for mutual TLS between services. If undefined, services communicate without
   * encryption.
   */
  tls: TlsPaths | undefined;
  drainMs: number;
  /** Commit of the running program, for its log and metrics. */
  revision: string;
  telemetry: TelemetrySettings | undefined;
  /** Undefined for a service that neither publishes nor consumes events. */
  events: { natsUrl: string | undefined } | undefined;
};

export type LoadOptions = {
  /** False if all services of the system run in one process, which needs no broker. */
  requiresBroker?: boolean;
};

const DRAIN_MS = 25_000;
const DRAIN_MAX_MS = 15 * 60_000;

export const readProcessConfig = (
  read: EnvReader,
  calls: readonly string[],
  { hasEvents = false, requiresBroker = true }: { hasEvents?: boolean } & LoadOptions = {},
): ProcessConfig => ({
  environment: read.oneOf('WITAN_ENV', ENVIRONMENTS, 'production'),
  logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  grpcAddress: read.text('GRPC_ADDRESS', '0.0.0.0:50051'),
  adminHost: read.text('ADMIN_HOST', '0.0.0.0'),
  adminPort: read.port('ADMIN_PORT', 9090),
  serviceKeyFile: read.text('WITAN_SERVICE_KEY_FILE'),
  servicePublicKeysFile: read.text('WITAN_SERVICE_PUBLIC_KEYS'),
  addresses: Object.fromEntries(
    calls.map((name) => [name, read.text(`${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`)]),
  ),
  tls: readTls(read),
  drainMs: read.integer('WITAN_DRAIN_MS', { min: 0, max: DRAIN_MAX_MS, fallback: DRAIN_MS }),
  revision: read.text('WITAN_REVISION', UNKNOWN_REVISION),
  telemetry: readTelemetry(read),
  events: hasEvents ? { natsUrl: readNatsUrl(read, requiresBroker) } : undefined,
});

const readTls = (read: EnvReader): ProcessConfig['tls'] => {
  const certFile = read.optional('WITAN_TLS_CERT_FILE');
  const keyFile = read.optional('WITAN_TLS_KEY_FILE');
  const caFile = read.optional('WITAN_TLS_CA_FILE');
  if (!certFile && !keyFile && !caFile) return undefined;
  if (certFile && keyFile && caFile) return { certFile, keyFile, caFile };
  read.addError('WITAN_TLS_CERT_FILE, WITAN_TLS_KEY_FILE and WITAN_TLS_CA_FILE go together');
  return undefined;
};
