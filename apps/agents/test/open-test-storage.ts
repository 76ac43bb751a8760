import { createLog, newId } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import { Client } from 'pg';
import type { QueryResultRow } from 'pg';
import type { AcceptedMemory } from '../src/memory/tags/filter-memory-tags.ts';
import { toKeyNorm } from '../src/memory/memory.ts';
import { openStorage } from '../src/open-storage.ts';
import type { Storage } from '../src/open-storage.ts';
import { SECRETS_KEY } from './open-agents.ts';

/** Storage on a new database, with direct access to the tables. */
export type TestStorage = AsyncDisposable & {
  storage: Storage;
  databaseUrl: string;
  /** Opens another replica on the same database; it is closed with this storage. */
  openReplica: () => Promise<Storage>;
  /** Runs a query as administrator, who sees the rows of all workspaces. */
  query: <T extends QueryResultRow>(sql: string, params?: unknown[]) => Promise<T[]>;
  createOwner: (workspaceId?: string) => Promise<{ workspaceId: string; agentId: string }>;
};

export const openTestStorage = async (): Promise<TestStorage> => {
  const database = await createTestDatabase(['agents']);
  const databaseUrl = database.urls['agents']!;
  const log = createLog({ service: 'agents', level: 'silent' });
  const deps = { newId, clock: () => new Date(), secretsKey: SECRETS_KEY };
  const replicas = new AsyncDisposableStack();
  const openReplica = async () => replicas.use(await openStorage(databaseUrl, log, deps));
  const storage = await openReplica();
  const admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query('SET search_path = agents');
  return {
    storage,
    databaseUrl,
    openReplica,
    query: async <T extends QueryResultRow>(sql: string, params: unknown[] = []) =>
      (await admin.query<T>(sql, params)).rows,
    createOwner: async (workspaceId = newId('ws')) => {
      const agentId = newId('agt');
      const at = new Date();
      const agent = { ...PERSONA, id: agentId, slug: agentId, createdAt: at, updatedAt: at };
      await storage.agents.insert(workspaceId, agent, 500);
      return { workspaceId, agentId };
    },
    [Symbol.asyncDispose]: async () => {
      await admin.end();
      await replicas.disposeAsync();
      await database[Symbol.asyncDispose]();
    },
  };
};

export const acceptedMemory = (key: string, value: string, more: Partial<AcceptedMemory> = {}) => ({
  key,
  keyNorm: toKeyNorm(key),
  type: 'fact' as const,
  value,
  isGlobal: false,
  isLocalOnly: false,
  isTainted: false,
  isGlobalDenied: false,
  ...more,
});

const PERSONA = {
  name: 'Ann',
  role: '',
  systemPrompt: 'You are Ann.',
  personality: '',
  mission: '',
  decisionStyle: '',
  model: '',
};
