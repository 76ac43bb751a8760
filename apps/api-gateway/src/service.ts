import {
  CertificateService,
  CompletionService,
  CountingService,
  ModelService,
  SettingsService,
} from '@witan/contracts/services';
import { createClient } from '@witan/service-kit';
import type { Host, Service } from '@witan/service-kit';
import type { Config } from './config.ts';
import { createKeyCache } from './domain/key/key-cache.ts';
import { createAuthorize } from './http/authorize.ts';
import { createApp } from './http/create-app.ts';
import { listen } from './http/listen.ts';
import type { Route } from './http/route.ts';
import { chatCompletionsRoute } from './routes/chat-completions.ts';
import { exportProofsRoute } from './routes/export-proofs.ts';
import { countTokensRoute, messagesRoute } from './routes/messages.ts';
import { modelRoute, modelsRoute } from './routes/models.ts';
import { openapiRoute } from './routes/openapi.ts';
import { proofRoute, proofsRoute, verifyProofRoute } from './routes/proofs.ts';
import { publicKeyRoute } from './routes/public-key.ts';
import { providersRoute, putProvidersRoute } from './routes/workspace-providers.ts';
import { putWorkspaceRoute, workspaceRoute } from './routes/workspace.ts';
import { createRecordAudit } from './storage/audit-store.ts';
import { findKey } from './storage/key-store.ts';
import { openStorage } from './storage/open-storage.ts';
import { createWorkspaces } from './storage/workspace-store.ts';

/** A revoked key is refused everywhere within this time, in milliseconds. */
const KEY_TTL_MS = 3_000;
const READY_TIMEOUT_MS = 1_000;

/** Composes the public edge: HTTP in, gRPC out, no business rule. */
export const createService = async (config: Config, host: Host): Promise<Service> => {
  const llmGateway = host.connect('llm-gateway');
  const ledger = host.connect('ledger');
  const database = await openStorage(config.databaseUrl, host.log);
  const certificates = createClient(CertificateService, ledger);
  const completions = createClient(CompletionService, llmGateway);
  const models = createClient(ModelService, llmGateway);
  const settings = createClient(SettingsService, llmGateway);
  const workspaces = createWorkspaces(database);
  const routes: Route[] = [
    chatCompletionsRoute(completions, config.completionTimeoutMs),
    messagesRoute(completions, config.completionTimeoutMs),
    countTokensRoute(createClient(CountingService, llmGateway)),
    modelsRoute(models),
    modelRoute(models),
    workspaceRoute(settings, workspaces),
    putWorkspaceRoute(settings, workspaces),
    providersRoute(settings),
    putProvidersRoute(settings, createRecordAudit(database)),
    proofsRoute(certificates),
    exportProofsRoute(certificates),
    proofRoute(certificates),
    verifyProofRoute(certificates, () => new Date()),
    publicKeyRoute(certificates),
  ];
  const cachedKey = createKeyCache((lookupId) => findKey(database, lookupId), {
    ttlMs: KEY_TTL_MS,
    clock: Date.now,
  });
  const app = createApp({
    routes: [...routes, openapiRoute(routes)],
    authorize: createAuthorize(cachedKey),
    log: host.log,
  });
  const http = await listen(app, config);
  return {
    implementations: [],
    http,
    checks: {
      database: database.check,
      'llm-gateway': () => llmGateway.ready(READY_TIMEOUT_MS),
      ledger: () => ledger.ready(READY_TIMEOUT_MS),
    },
    stop: async () => {
      await database[Symbol.asyncDispose]();
    },
  };
};
