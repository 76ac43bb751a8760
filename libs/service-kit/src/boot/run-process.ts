import { readFileSync } from 'node:fs';
import { createPrivateKey } from 'node:crypto';
import { ConfigError } from '../config/read-env.ts';
import { openBroker } from '../events/broker.ts';
import { createNatsEvents } from '../events/nats-events.ts';
import { createLog } from '../log/create-log.ts';
import type { Log } from '../log/create-log.ts';
import { createUnreachableLog } from '../rpc/log-unreachable.ts';
import { createTokenIssuer, createTokenVerifier } from '../rpc/caller-token.ts';
import { openTlsFiles } from '../tls/open-tls-files.ts';
import { openTelemetry } from '../telemetry/open-telemetry.ts';
import { plainGrpc } from '../rpc/grpc-client.ts';
import type { RpcLink } from '../rpc/grpc-client.ts';
import type { Transport } from '../rpc/transport.ts';
import type { ProcessConfig } from './process-config.ts';
import { releaseStartMemory } from './release-start-memory.ts';
import type { CallGraph, CreateService, RunningService } from './start-service.ts';
import { startService } from './start-service.ts';

type ProcessOptions<Config> = {
  name: string;
  loadConfig: () => Config & { process: ProcessConfig };
  create: CreateService<Config>;
  callGraph: CallGraph;
  servesGrpc?: boolean;
  /** Protocol of the RPC calls to and from this service; plain gRPC by default. */
  link?: RpcLink;
};

/**
 * Starts one service in this process. Stops it at SIGTERM, when its supervisor ends or, without a
 * supervisor, at SIGINT; a service that is still starting exits at once. Exits with 2 if the
 * environment is invalid, and with 1 if starting fails for another reason or stopping fails.
 */
export const runProcess = async <Config>(options: ProcessOptions<Config>): Promise<void> => {
  let runningService: RunningService | undefined;
  let isStopping = false;
  // The handlers are set before the start, because the kernel ignores signals without a handler for
  // the first process of a container.
  const onSignal = (): void => {
    if (isStopping) return;
    isStopping = true;
    if (!runningService) process.exit(0);
    void runningService.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal);
  // A child of a supervisor ignores Ctrl-C, which reaches the whole process group: the supervisor
  // stops its services in order.
  process.on('SIGINT', () => {
    if (!process.send) onSignal();
  });
  // Stops when the supervisor's process ends, so that a killed supervisor leaves no service
  // running.
  process.on('disconnect', onSignal);
  runningService = await start(options).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  });
  process.send?.({ ready: { ...runningService, dispatcher: undefined, stop: undefined } });
  // After the message, so that a supervisor can start the next service meanwhile.
  setImmediate(releaseStartMemory);
};

const start = async <Config>(options: ProcessOptions<Config>): Promise<RunningService> => {
  const { name } = options;
  const config = options.loadConfig();
  const log = createLog({ service: name, level: config.process.logLevel });
  try {
    return await startLogged(options, config, log);
  } catch (err) {
    log.error({ event: 'service_start_failed', err }, 'Service could not start');
    throw err;
  }
};

const startLogged = async <Config>(
  options: ProcessOptions<Config>,
  config: Config & { process: ProcessConfig },
  log: Log,
): Promise<RunningService> => {
  const { name, callGraph, link = plainGrpc } = options;
  const settings = config.process;
  const privateKey = createPrivateKey(readFileSync(settings.serviceKeyFile));
  const publicKeys = JSON.parse(readFileSync(settings.servicePublicKeysFile, 'utf8'));
  const tls = settings.tls && (await openTlsFiles({ paths: settings.tls, log }));
  const connect = (target: string): Transport =>
    link.connect({
      address: settings.addresses[target]!,
      token: createTokenIssuer({ caller: name, audience: target, privateKey }),
      onUnreachable: createUnreachableLog({ log, callee: target }),
      ...(tls ? { credentials: tls.channel } : {}),
    });
  const telemetry = await openTelemetry(settings.telemetry, log);
  const natsUrl = settings.events?.natsUrl;
  const broker = natsUrl === undefined ? undefined : await openBroker({ url: natsUrl, name, log });
  const service = await startService({
    name,
    config,
    create: options.create,
    callGraph,
    log,
    connect,
    events: broker && createNatsEvents({ broker }),
    admin: { host: settings.adminHost, port: settings.adminPort },
    drainMs: settings.drainMs,
    revision: settings.revision,
    tracer: telemetry.tracerOf(name),
    tls,
    ...(options.servesGrpc === false
      ? {}
      : {
          grpc: {
            address: settings.grpcAddress,
            verifyCaller: createTokenVerifier({ audience: name, publicKeys }),
            link,
            ...(tls ? { credentials: tls.server } : {}),
          },
        }),
  });
  const stop = async (): Promise<void> => {
    await service.stop();
    await tls?.[Symbol.asyncDispose]();
    await broker?.[Symbol.asyncDispose]();
    await telemetry.stop();
  };
  return { ...service, stop };
};
