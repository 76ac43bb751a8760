import {
  createSecretCipher,
  openDatabase,
  startReencryption,
  workspaceScope,
} from '@witan/service-kit';
import type { Database, Log } from '@witan/service-kit';
import { MIGRATIONS } from './migrations/migrations.ts';
import type { StoredModels, SettingsStore } from './settings/ports.ts';
import {
  openProvider,
  ENCRYPTED_KEYS,
  toStoredProvider,
  writeProviders,
} from './settings/store/provider-store.ts';
import {
  ModelSettingsEntity,
  WorkspaceProviderEntity,
} from './settings/store/settings-entities.ts';
import { lockWorkspace, readRows, writeSettings } from './settings/store/settings-store.ts';
import type { WorkspaceRows } from './settings/store/settings-store.ts';

type Storage = AsyncDisposable & { settings: SettingsStore; check: Database['check'] };

export const openStorage = async (
  { databaseUrl, secretsKey }: { databaseUrl: string; secretsKey: string },
  log: Log,
): Promise<Storage> => {
  const secretCipher = createSecretCipher(secretsKey);
  const database = await openDatabase({
    url: databaseUrl,
    schema: 'llm_gateway',
    entities: [ModelSettingsEntity, WorkspaceProviderEntity],
    migrations: MIGRATIONS,
    log,
  });
  const reencryption = startReencryption(database, secretCipher, { ...ENCRYPTED_KEYS, log });
  const read = (workspaceId: string): Promise<WorkspaceRows> =>
    database.scoped(workspaceScope(workspaceId), (em) => readRows(em, workspaceId));
  return {
    check: database.check,
    [Symbol.asyncDispose]: async () => {
      await reencryption.stop();
      await database[Symbol.asyncDispose]();
    },
    settings: {
      readModels: async (workspaceId) => {
        const { settings, providers } = await read(workspaceId);
        const open = providers.map((row) => openProvider(row, { workspaceId, secretCipher }));
        return { ...settings, providers: new Map(open.map((item) => [item.name, item])) };
      },
      readStored: async (workspaceId) => toStoredModels(await read(workspaceId)),
      replaceSettings: (workspaceId, decide) =>
        database.scoped(workspaceScope(workspaceId), async (em) => {
          await lockWorkspace(em, workspaceId);
          const stored = toStoredModels(await readRows(em, workspaceId));
          await writeSettings(em, workspaceId, decide(stored));
        }),
      replaceProviders: (workspaceId, decide) =>
        database.scoped(workspaceScope(workspaceId), async (em) => {
          await lockWorkspace(em, workspaceId);
          const rows = await readRows(em, workspaceId);
          const drafts = decide(toStoredModels(rows));
          await writeProviders(em, rows.providers, drafts, { workspaceId, secretCipher });
          return toStoredModels(await readRows(em, workspaceId)).providers;
        }),
    },
  };
};

const toStoredModels = ({ settings, providers }: WorkspaceRows): StoredModels => ({
  settings,
  providers: providers.map(toStoredProvider),
});
