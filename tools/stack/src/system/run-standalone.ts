import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { callGraph } from '@witan/contracts/call-graph';
import {
  createInProcessTransport,
  createLocalEvents,
  createLog,
  createNatsEvents,
  createTokenIssuer,
  createTokenVerifier,
  openBroker,
  openTelemetry,
  startService,
} from '@witan/service-kit';
import type {
  EventTransport,
  Log,
  RunningService,
  SpanExporter,
  Telemetry,
  Transport,
} from '@witan/service-kit';
import { sessions } from '@witan/service-kit/sessions';
import { CATALOGUE } from './catalogue.ts';
import type { CatalogueEntry, LoadedService } from './catalogue.ts';

type StandaloneOptions = {
  environments: Readonly<Record<string, Record<string, string>>>;
  transport: 'in-process' | 'grpc';
  /** Called before each service starts. */
  onStart?: (service: string) => void;
  createLogFor?: (service: string) => Log;
  exporter?: SpanExporter;
};

type StartedServices = Map<string, RunningService>;

export const runStandalone = async (options: StandaloneOptions): Promise<RunningSystem> => {
  // All configurations are read before any service starts, so that an invalid configuration leaves
  // no service running.
  const loaded = CATALOGUE.map((entry) => ({
    entry,
    ...entry.load(options.environments[entry.name]!, { requiresBroker: false }),
  }));
  const { telemetry: wanted, logLevel: level } = loaded[0]!.process;
  const log = options.createLogFor?.('stack') ?? createLog({ service: 'stack', level });
  const telemetry = await openTelemetry(wanted, log, options.exporter);
  const events = await openEvents(loaded, log);
  const started: StartedServices = new Map();
  const stop = async (): Promise<void> => {
    for (const { name } of CATALOGUE.toReversed()) await started.get(name)?.stop();
    await events.close();
    await telemetry.stop();
  };
  const parts = { ...options, started, telemetry, events: events.transport };
  try {
    for (const one of loaded) {
      options.onStart?.(one.entry.name);
      started.set(one.entry.name, await startOne(one, parts));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const running = [...started.values()];
  return {
    baseUrl: started.get('api-gateway')!.httpUrl!,
    adminUrls: Object.fromEntries(running.map(({ name, adminUrl }) => [name, adminUrl])),
    pids: () => Object.fromEntries(running.map(({ name }) => [name, process.pid])),
    interrupt: async (name) => {
      const service = started.get(name)!;
      started.delete(name);
      await service.stop();
      const one = loaded.find(({ entry }) => entry.name === name)!;
      const grpcPort = service.grpcPort ?? 0;
      return async () => void started.set(name, await startOne(one, parts, grpcPort));
    },
    stop,
  };
};

type Events = { transport: EventTransport; close: () => Promise<void> };

/** Events of all services go through the broker of `NATS_URL` or, without one, this process. */
const openEvents = async (loaded: readonly LoadedService[], log: Log): Promise<Events> => {
  const url = loaded.map(({ process: { events } }) => events?.natsUrl).find(Boolean);
  if (url === undefined) return { transport: createLocalEvents(), close: async () => {} };
  const broker = await openBroker({ url, name: 'witan', log });
  return {
    transport: createNatsEvents({ broker }),
    close: async () => broker[Symbol.asyncDispose](),
  };
};

type ServiceParts = StandaloneOptions & {
  started: StartedServices;
  telemetry: Telemetry;
  events: EventTransport;
};

const startOne = (
  { entry, ...loaded }: { entry: CatalogueEntry } & LoadedService,
  { started, telemetry, events, ...options }: ServiceParts,
  grpcPort = 0,
): Promise<RunningService> => {
  const { name } = entry;
  const { process: settings } = loaded;
  const log =
    options.createLogFor?.(name) ?? createLog({ service: name, level: settings.logLevel });
  const inProcess = (target: string): Transport =>
    createInProcessTransport({ caller: name, dispatcher: () => started.get(target)?.dispatcher });
  const overGrpc = (target: string): Transport =>
    sessions.connect({
      address: `127.0.0.1:${started.get(target)!.grpcPort}`,
      token: createTokenIssuer({
        caller: name,
        audience: target,
        privateKey: createPrivateKey(readFileSync(settings.serviceKeyFile)),
      }),
    });
  const isGrpc = options.transport === 'grpc';
  return startService({
    name,
    config: loaded.config,
    create: loaded.create,
    callGraph,
    log,
    connect: isGrpc ? overGrpc : inProcess,
    events,
    admin: { host: settings.adminHost, port: settings.adminPort },
    drainMs: settings.drainMs,
    revision: settings.revision,
    tracer: telemetry.tracerOf(name),
    ...(isGrpc && entry.servesGrpc
      ? {
          grpc: {
            address: `127.0.0.1:${grpcPort}`,
            link: sessions,
            verifyCaller: createTokenVerifier({
              audience: name,
              publicKeys: JSON.parse(readFileSync(settings.servicePublicKeysFile, 'utf8')),
            }),
          },
        }
      : {}),
  });
};

export type RunningSystem = {
  baseUrl: string;
  adminUrls: Readonly<Record<string, string>>;
  pids: () => Record<string, number>;
  /**
   * Stops one service and returns a function that starts it. For tests of outages; exists only if
   * all services run in one process.
   */
  interrupt?: (service: string) => Promise<() => Promise<void>>;
  stop: () => Promise<void>;
};
