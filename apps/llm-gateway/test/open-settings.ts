import { randomBytes } from 'node:crypto';
import { callGraph } from '@witan/contracts/call-graph';
import { SettingsService } from '@witan/contracts/services';
import {
  createClient,
  createInProcessTransport,
  createLog,
  implement,
  newId,
  openDatabase,
  SCOPE_SETTING,
  startService,
} from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { createSettingsHandlers } from '../src/settings/rpc/settings.ts';
import { createWorkspaceSettings } from '../src/settings/workspace-settings.ts';
import type {
  WorkspaceSettings,
  WorkspaceSettingsDeps,
} from '../src/settings/workspace-settings.ts';
import { openStorage } from '../src/open-storage.ts';

export const OPERATOR_PROVIDERS = ['openai', 'offline'];

export const newSecretsKey = (): string => randomBytes(32).toString('base64');

export type TestSettings = AsyncDisposable & {
  client: Client<typeof SettingsService>;
  models: WorkspaceSettings['models'];
  failures: unknown[];
};

export type OpenSettingsOptions = {
  database: TestDatabase;
  secretsKey: string;
  checkBaseUrl?: WorkspaceSettingsDeps['checkBaseUrl'];
  clock?: () => number;
};

export const openSettings = async (options: OpenSettingsOptions): Promise<TestSettings> => {
  const log = createLog({ service: 'llm-gateway', level: 'silent' });
  const databaseUrl = options.database.urls['llm-gateway']!;
  const storage = await openStorage({ databaseUrl, secretsKey: options.secretsKey }, log);
  const failures: unknown[] = [];
  const settings = createWorkspaceSettings({
    store: storage.settings,
    checkBaseUrl: options.checkBaseUrl ?? (async ({ url }) => url),
    operatorProviders: OPERATOR_PROVIDERS,
    newVersion: () => newId('ver'),
    clock: options.clock ?? (() => performance.now()),
    now: () => new Date(),
    onFailure: (_workspaceId, error) => failures.push(error),
  });
  const service = await startService({
    name: 'llm-gateway',
    config: {},
    create: async () => ({
      implementations: [implement(SettingsService, createSettingsHandlers(settings))],
      checks: { database: storage.check },
      stop: async () => {
        await storage[Symbol.asyncDispose]();
      },
    }),
    callGraph,
    log,
    connect: () => {
      throw new Error('The settings service calls no other service.');
    },
    admin: { host: '127.0.0.1', port: 0 },
    drainMs: 2_000,
  });
  const transport = createInProcessTransport({
    caller: 'api-gateway',
    dispatcher: () => service.dispatcher,
  });
  return {
    client: createClient(SettingsService, transport),
    models: settings.models,
    failures,
    [Symbol.asyncDispose]: service.stop,
  };
};

export const openSettingsDatabase = (): Promise<TestDatabase> =>
  createTestDatabase(['llm-gateway']);

export const queryAs = async (
  database: TestDatabase,
  { scope, sql }: { scope: string; sql: string },
): Promise<Record<string, unknown>[]> => {
  const log = createLog({ service: 'test', level: 'silent' });
  const url = database.urls['llm-gateway']!;
  await using open = await openDatabase({
    url,
    schema: 'llm_gateway',
    entities: [],
    migrations: [],
    log,
  });
  const client = await open.pool.connect();
  try {
    await client.query('SELECT set_config($1, $2, false)', [SCOPE_SETTING, scope]);
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    client.release(true);
  }
};

export const optionsFor = (workspaceId: string) => ({ workspaceId, timeoutMs: 10_000 });
