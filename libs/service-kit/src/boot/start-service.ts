import { Registry, collectDefaultMetrics } from 'prom-client';
import type { ServerCredentials } from '@grpc/grpc-js';
import { context } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { createReadiness } from '../health/readiness.ts';
import type { Checks } from '../health/readiness.ts';
import type { EventTransport } from '../events/event-transport.ts';
import type { Log } from '../log/create-log.ts';
import { createCallMetrics, createDispatcher } from '../rpc/dispatcher.ts';
import type { AllowedRpcs, Dispatcher } from '../rpc/dispatcher.ts';
import type { Implementation, Transport } from '../rpc/transport.ts';
import type { HealthService } from '../health/grpc-health.ts';
import { openAdminServer } from '../health/health.ts';
import { openGrpcServer } from '../rpc/grpc-server.ts';
import type { GrpcServer } from '../rpc/grpc-server.ts';
import type { RpcLink } from '../rpc/grpc-client.ts';
import { withTracer } from '../telemetry/with-span.ts';
import { registerBuildInfo } from './build-metrics.ts';
import { UNKNOWN_REVISION, VERSION } from './release.ts';
import { createTlsMetrics } from '../tls/open-tls-files.ts';
import type { TlsFiles } from '../tls/open-tls-files.ts';

export type Host = {
  log: Log;
  registry: Registry;
  /**
   * Returns a transport to the named service. Throws if the call graph does not allow calls to it.
   */
  connect: (service: string) => Transport;
  /** Reading it throws if the service was started without a transport of events. */
  readonly events: EventTransport;
};

export type Service = {
  implementations: readonly Implementation[];
  checks: Checks;
  stop: () => Promise<void>;
  http?: {
    url: string;
    drain: (timeoutMs: number) => Promise<void>;
  };
};

export type CreateService<Config> = (config: Config, host: Host) => Promise<Service>;

export type CallGraph = Readonly<Record<string, Readonly<Record<string, AllowedRpcs>>>>;

export type RunningService = {
  name: string;
  dispatcher: Dispatcher;
  adminUrl: string;
  grpcPort?: number;
  httpUrl?: string;
  stop: () => Promise<void>;
};

export type StartOptions<Config> = {
  name: string;
  config: Config;
  create: CreateService<Config>;
  callGraph: CallGraph;
  log: Log;
  connect: (service: string) => Transport;
  /** Required for services that publish or consume events. */
  events?: EventTransport | undefined;
  admin: { host: string; port: number };
  /** If undefined, its RPCs can be called only from within this process. */
  grpc?: {
    address: string;
    verifyCaller: (token: string) => string;
    credentials?: ServerCredentials;
    link?: RpcLink;
  };
  drainMs: number;
  /** Commit of the running program. */
  revision?: string | undefined;
  tracer?: Tracer | undefined;
  /** Files whose expiry the service's metrics show. */
  tls?: TlsFiles | undefined;
};

export const startService = async <Config>(
  options: StartOptions<Config>,
): Promise<RunningService> => {
  const { name, log, drainMs, revision = UNKNOWN_REVISION } = options;
  const registry = createRegistry(revision, options.tls);
  const transports: Transport[] = [];
  const host = createHost(options, registry, transports);
  // The tracer is set before the service is created, so that the service's background work uses it
  // too.
  const service = await context.with(withTracer(options.tracer, context.active()), () =>
    options.create(options.config, host),
  );
  const dispatcher = createServiceDispatcher(options, { service, registry });
  const listeners: AsyncDisposable[] = [];
  let grpc: GrpcServer | undefined;
  let health: HealthService | undefined;
  let isStopping = false;
  const stop = async (): Promise<void> => {
    isStopping = true;
    log.info({ event: 'service_stopping' }, 'Service stopping');
    health?.stop();
    await Promise.all([
      service.http?.drain(drainMs),
      dispatcher.drain(drainMs),
      grpc?.stop(drainMs),
    ]);
    await service.stop();
    for (const transport of transports) await transport.close();
    for (const listener of listeners) await listener[Symbol.asyncDispose]();
    log.info({ event: 'service_stopped' }, 'Service stopped');
  };
  const lifecycle = async (): Promise<void> => {
    if (isStopping) throw new Error('The service stops.');
  };
  const checkReadiness = createReadiness({ ...service.checks, lifecycle }, { log, registry });
  try {
    const admin = await openAdminServer({ ...options.admin, checkReadiness, registry });
    listeners.push(admin);
    if (options.grpc) {
      // Loaded only if used, because its library compiles its contract when it is loaded.
      const { createHealthService } = await import('../health/grpc-health.ts');
      health = createHealthService(checkReadiness);
      grpc = await openGrpcServer({ ...options.grpc, dispatcher, extend: health.addTo });
    }
    log.info(
      {
        event: 'service_ready',
        version: VERSION,
        revision,
        adminUrl: admin.url,
        grpcPort: grpc?.port,
        url: service.http?.url,
      },
      'Service ready',
    );
    return {
      name,
      dispatcher,
      adminUrl: admin.url,
      ...(grpc ? { grpcPort: grpc.port } : {}),
      ...(service.http ? { httpUrl: service.http.url } : {}),
      stop,
    };
  } catch (error) {
    // Stops the parts that have already started, for example if a later port is in use.
    await stop();
    throw error;
  }
};

const createRegistry = (revision: string, tls: TlsFiles | undefined): Registry => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerBuildInfo(registry, revision);
  createTlsMetrics(registry, tls);
  return registry;
};

const createServiceDispatcher = <Config>(
  { name, callGraph, log, tracer }: StartOptions<Config>,
  { service, registry }: { service: Service; registry: Registry },
): Dispatcher =>
  createDispatcher({
    implementations: service.implementations,
    callers: callersOf(callGraph, name),
    log,
    tracer,
    onEnded: createCallMetrics(registry),
  });

/** Creates the host of a service, which adds each opened transport to `transports`. */
const createHost = <Config>(
  { name, callGraph, log, connect, events }: StartOptions<Config>,
  registry: Registry,
  transports: Transport[],
): Host => {
  const allowedTargets = Object.keys(callGraph[name] ?? {});
  return {
    log,
    registry,
    connect: (target) => {
      if (!allowedTargets.includes(target)) {
        throw new Error(
          `${name} may not call ${target}: deploy/call-graph.json does not allow it.`,
        );
      }
      const transport = connect(target);
      transports.push(transport);
      return transport;
    },
    get events() {
      if (!events) throw new Error(`${name} was started without a transport of events.`);
      return events;
    },
  };
};

const callersOf = (graph: CallGraph, callee: string): Record<string, AllowedRpcs> =>
  Object.fromEntries(
    Object.entries(graph).flatMap(([caller, edges]) => {
      const rpcs = edges[callee];
      return rpcs ? [[caller, rpcs] as const] : [];
    }),
  );
