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
import type { Refusal } from './auth/authenticate.ts';
import { createKeyCache } from './auth/key-cache.ts';
import { recordRefusals } from './auth/record-refusals.ts';
import { trackKeyUses } from './auth/track-key-uses.ts';
import { hashToken } from './console-session/session-cookie.ts';
import { createAuthorize, createCheckKey } from './server/authorize.ts';
import type { CheckKey } from './server/authorize.ts';
import { SIMULATION_WAIT_MS, TURN_MARGIN_MS } from './http/call-options.ts';
import { createApp } from './server/create-app.ts';
import { createLimitRate } from './server/limit-rate.ts';
import type { LimitRate } from './server/limit-rate.ts';
import { createLimitBodies } from './server/limit-bodies.ts';
import {
  createLimitStreams,
  createTakeBackground,
  createTakeStream,
} from './server/limit-streams.ts';
import { createDetachedCalls } from './server/detached-calls.ts';
import { listen } from './server/listen.ts';
import { createIsCertified, createRunOnce } from './server/run-once.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
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
import { createRecordAudit } from './audit/store/audit-store.ts';
import { createIdempotencyStore } from './idempotency/store/idempotency-store.ts';
import { findKey } from './auth/store/key-store.ts';
import { createWorkspaces } from './auth/store/workspace-store.ts';
import {
  createConsoleLinks,
  createConsoleSessions,
  deleteExpiredSessions,
  findSession,
} from './console-session/store/console-session-store.ts';
import { createSaveKeyUses } from './auth/store/key-use-store.ts';
import { openStorage } from './open-storage.ts';
import { featureRoutes, gatewayRoutes, joinMcpRoute } from './routes.ts';
import type { RouteLimits } from './routes.ts';

/** Lifetime of a cached API key: a revoked key is accepted for at most this time. */
const KEY_TTL_MS = 3_000;
const KEY_USES_EVERY_MS = 5_000;
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
  const { limitRate, ...routeLimits } = createLimits(config, metrics);
  const keyTracking = trackKeys(database, host, metrics);
  const sessionSweep = sweepSessions(database, host);
  const idempotency = openIdempotency(database, host, config, certificates);
  const checkKey = createCheckKey(keyTracking);
  const stored = openStoredResponses(database, host, { ...config, checkKey });
  const { runOnce } = idempotency;
  const routes = joinMcpRoute(config, host, { runOnce, certificates, ...routeLimits }, [
    ...gatewayRoutes(config, host, database, { ...routeLimits, certificates, ...stored }),
    ...featureRoutes(config, host, database, routeLimits),
    ...consoleRoutes({
      ...keyTracking,
      sessions: createConsoleSessions(database),
      createLink: createConsoleLinks(database),
      limitRate,
    }),
  ]);
  const currentSite = createCurrentSite(config.consoleFolder);
  const app = createApp({
    routes: [...routes, ...referenceRoutes(routes)],
    console: serveConsole(currentSite),
    verifier: serveVerifier(currentSite),
    authorize: createAuthorize({ ...keyTracking, limitRate }),
    checkKey,
    runOnce,
    log: host.log,
    onFinished: metrics.onFinished,
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
      await keyTracking.stop();
      await sessionSweep.stop();
      await stored.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};

/**
 * If the rate limit is disabled, `limitRate` is absent and responses have no `ratelimit` headers.
 */
const createLimits = (
  { rateLimitPerMinute: perMinute, maxStreamsPerKey: max, ...config }: Config,
  { onLimited }: Metrics,
): RouteLimits & { limitRate?: LimitRate } => {
  const takeStream = createTakeStream({ max, onRefused: () => onLimited('streams') });
  return {
    ...(perMinute > 0 && {
      limitRate: createLimitRate({
        perMinute,
        clock: () => Math.floor(performance.now()),
        onRefused: () => onLimited('rate'),
      }),
    }),
    limitStreams: createLimitStreams(takeStream),
    takeBackground: createTakeBackground({
      max: config.maxBackgroundPerWorkspace,
      takeStream,
      onRefused: () => onLimited('background'),
    }),
    limitBodies: createLimitBodies({
      bytesMax: config.bodyBytesMax,
      onRefused: () => onLimited('uploads'),
    }),
  };
};

const trackKeys = (database: Database, { log }: Host, metrics: Metrics) => {
  const onFailure = (err: unknown): void =>
    log.warn(
      { event: 'key_uses_save_failed', err },
      'Could not save the last uses of API keys, they stay pending',
    );
  const save = createSaveKeyUses(database);
  const uses = trackKeyUses({ save, clock: Date.now, onFailure });
  const refusals = recordRefusals({
    recordAudit: createRecordAudit(database),
    clock: Date.now,
    defer: setImmediate,
    onFailure: (err) =>
      log.error(
        { event: 'key_refusal_audit_failed', err },
        'Could not write the audit entries of refused API keys',
      ),
  });
  const cache = { ttlMs: KEY_TTL_MS, clock: () => performance.now() };
  const findByHash = createKeyCache(
    (cookieHash) => findSession(database, Buffer.from(cookieHash, 'hex')),
    cache,
  );
  const saving = repeatEvery(KEY_USES_EVERY_MS, uses.flush, onFailure);
  return {
    findKey: createKeyCache((lookupId) => findKey(database, lookupId), cache),
    // Sessions are cached by hash, so that no cookie stays in memory.
    findSession: (cookie: string) => findByHash(hashToken(cookie).toString('hex')),
    onUsed: uses.record,
    onRefused: (refusal: Refusal): void => {
      metrics.onKeyRefused(refusal.reason);
      refusals.record(refusal);
    },
    stop: async (): Promise<void> => {
      await saving.stop();
      await Promise.all([uses.flush(), refusals.flush()]);
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
  {
    secretsKey,
    completionTimeoutMs: timeoutMs,
    storedBytesMax: bytesMax,
    checkKey,
  }: Config & { checkKey: CheckKey },
) => {
  const secretCipher = createSecretCipher(secretsKey);
  const store = createResponseStore(database, secretCipher, { bytesMax });
  const detachedCalls = createDetachedCalls();
  const findWorkspace = createKeyCache(createWorkspaces(database).get, {
    ttlMs: KEY_TTL_MS,
    clock: () => performance.now(),
  });
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
      checkKey,
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
