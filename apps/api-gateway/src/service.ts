import { setTimeout as pause } from 'node:timers/promises';
import { CertificateService } from '@witan/contracts/services';
import {
  createClient,
  createSecretCipher,
  newId,
  repeatEvery,
  startReencryption,
} from '@witan/service-kit';
import type { Client, Database, Host, Service } from '@witan/service-kit';
import type { Config } from './config.ts';
import { createKeyCache, openKeyDirectory } from './auth/store/key-directory.ts';
import { SIMULATION_WAIT_MS, TURN_MARGIN_MS } from './http/route.ts';
import { createApp } from './server/create-app.ts';
import { createLimits } from './server/limits.ts';
import { createDetachedCalls } from './server/detached-calls.ts';
import { listen } from './server/listen.ts';
import { createIsCertified, createRunOnce } from './server/run-once.ts';
import { createMetrics } from './metrics.ts';
import { createReplaceResponse, createSaveResponse } from './stored-response/save-response.ts';
import type { SaveFailure } from './stored-response/save-response.ts';
import { readLostAsFailed } from './stored-response/lost-response.ts';
import {
  createAssertRoom,
  createResponseStore,
  deleteExpiredResponses,
} from './stored-response/store/response-store.ts';
import { ENCRYPTED_RESPONSES } from './stored-response/store/response-codec.ts';
import { consoleRoutes } from './resources/console/console-sessions.ts';
import { createCurrentSite } from './console/read-site.ts';
import { serveConsole, serveVerifier } from './console/serve-console.ts';
import { referenceRoutes } from './docs/openapi.ts';
import { createIdempotencyStore } from './idempotency/store/idempotency-store.ts';
import { createWorkspaces } from './auth/store/workspace-store.ts';
import {
  createConsoleLinks,
  createConsoleSessions,
  deleteExpiredSessions,
} from './console-session/store/console-session-store.ts';
import { openStorage } from './open-storage.ts';
import { featureRoutes, gatewayRoutes, joinMcpRoute } from './routes.ts';

const READY_TIMEOUT_MS = 1_000;
/**
 * Added to the completion timeout to get the lease of an idempotent call of the native API, so that
 * the lease outlasts the longest call.
 */
const LEASE_MARGIN_MS = TURN_MARGIN_MS + SIMULATION_WAIT_MS + 60_000;
const DELETE_EVERY_MS = 60_000;

export const createService = async (config: Config, host: Host): Promise<Service> => {
  const llmGateway = host.connect('llm-gateway');
  const ledger = host.connect('ledger');
  const database = await openStorage(config.databaseUrl, host.log);
  const certificates = createClient(CertificateService, ledger);
  const metrics = createMetrics(host.registry);
  const limits = createLimits(config, metrics.onLimited);
  const keys = openKeyDirectory(database, { log: host.log, onKeyRefused: metrics.onKeyRefused });
  const sessionSweep = sweepSessions(database, host);
  const idempotency = openIdempotency(database, host, config, certificates);
  const stored = openStoredResponses(database, host, config);
  const edge = { keys, limits, runOnce: idempotency.runOnce, log: host.log };
  const background = {
    ...stored.background,
    takeBackground: limits.takeBackground,
    watchKey: keys.watch,
  };
  const routes = joinMcpRoute(config, host, edge, certificates, [
    ...gatewayRoutes(config, host, database, { certificates, background }),
    ...featureRoutes(config, host, database),
    ...consoleRoutes({
      ...keys,
      sessions: createConsoleSessions(database),
      createLink: createConsoleLinks(database),
      limitRate: limits.limitRate,
    }),
  ]);
  const currentSite = createCurrentSite(config.consoleFolder);
  const app = createApp({
    routes: [...routes, ...referenceRoutes(routes)],
    console: serveConsole(currentSite),
    verifier: serveVerifier(currentSite),
    ...edge,
    metrics,
  });
  const http = await listen(app, { ...config, onStalled: metrics.onStalled });
  return {
    implementations: [],
    http,
    checks: {
      database: database.check,
      'llm-gateway': () => llmGateway.ready(READY_TIMEOUT_MS),
      ledger: () => ledger.ready(READY_TIMEOUT_MS),
    },
    stop: async () => {
      await idempotency.stop();
      await keys.stop();
      await sessionSweep.stop();
      await stored.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};

const sweepSessions = (database: Database, { log }: Host) =>
  repeatEvery(
    DELETE_EVERY_MS,
    () => deleteExpiredSessions(database),
    (err) =>
      log.warn(
        { event: 'console_session_sweep_failed', err },
        'Deleting expired console sessions failed, will retry',
      ),
  );

const openStoredResponses = (
  database: Database,
  { log }: Host,
  { secretsKey, completionTimeoutMs: timeoutMs, storedBytesMax: bytesMax }: Config,
) => {
  const secretCipher = createSecretCipher(secretsKey);
  const store = createResponseStore(database, secretCipher, { bytesMax });
  const detachedCalls = createDetachedCalls();
  const findWorkspace = createKeyCache(createWorkspaces(database).get);
  const reencryption = startReencryption(database, secretCipher, { ...ENCRYPTED_RESPONSES, log });
  const onSaveFailed = (failure: SaveFailure): void =>
    log.error(
      { event: 'response_store_failed', ...failure },
      'Could not store a response, it was sent as one that is not stored',
    );
  const onReplaceFailed = (failure: SaveFailure): void =>
    log.error(
      { event: 'background_response_store_failed', ...failure },
      'Could not store the end of a response in the background, it will be read as failed',
    );
  const deleting = repeatEvery(
    DELETE_EVERY_MS,
    async () => void (await deleteExpiredResponses(database)),
    (err) =>
      log.warn(
        { event: 'stored_response_sweep_failed', err },
        'Deleting expired stored responses failed, will retry',
      ),
  );
  return {
    background: {
      storing: {
        ...readLostAsFailed(store, { timeoutMs, clock: Date.now }),
        isAllowed: async (workspaceId: string) =>
          (await findWorkspace(workspaceId))!.storesResponses,
        findInput: store.findInput,
        remove: store.remove,
        assertRoom: createAssertRoom(database, { bytesMax }),
        saveQueued: store.save,
        save: createSaveResponse(store, onSaveFailed),
        replace: createReplaceResponse(store, {
          signal: detachedCalls.signal,
          wait: pause,
          onFailure: onReplaceFailed,
        }),
      },
      detachedCalls,
      log,
    },
    stop: async (): Promise<void> => {
      await Promise.all([detachedCalls.stop(), reencryption.stop(), deleting.stop()]);
    },
  };
};

const openIdempotency = (
  database: Database,
  { log }: Host,
  { secretsKey, completionTimeoutMs }: Config,
  certificates: Client<typeof CertificateService>,
) => {
  const records = createIdempotencyStore(database, createSecretCipher(secretsKey));
  const idempotency = createRunOnce({
    records,
    isCertified: createIsCertified(certificates),
    newId,
    leaseMs: completionTimeoutMs + LEASE_MARGIN_MS,
    log,
  });
  const deleting = repeatEvery(
    DELETE_EVERY_MS,
    async () => void (await records.deleteExpired()),
    (err) =>
      log.warn(
        { event: 'idempotency_sweep_failed', err },
        'Deleting expired idempotency records failed, will retry',
      ),
  );
  return {
    runOnce: idempotency.runOnce,
    stop: async (): Promise<void> => {
      await Promise.all([idempotency.stop(), deleting.stop()]);
    },
  };
};
