import { openDatabase } from '@witan/service-kit';
import type { Database, Log } from '@witan/service-kit';
import type { AgentStore } from '../domain/agent/agent.ts';
import type { SessionStore } from '../domain/chat/session.ts';
import type { Recall } from '../domain/memory/recall.ts';
import type { FactStore } from '../domain/fact/fact.ts';
import type { MemoryStore } from '../domain/memory/memory-store.ts';
import { createAgentStore } from './agent-store.ts';
import { AgentEntity, MessageEntity, SessionEntity } from './entities.ts';
import { createFactStore } from './fact-store.ts';
import { createMemoryStore } from './memory-store.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { createRecall } from './recall.ts';
import { createSaveMemories, createSaveTurnMemories } from './save-turn-memories.ts';
import type { SaveMemories } from './save-turn-memories.ts';
import { createSessionStore } from './session-store.ts';

/** The service's own schema, open. */
export type Storage = AsyncDisposable & {
  agents: AgentStore;
  facts: FactStore;
  memories: MemoryStore;
  recall: Recall;
  saveMemories: SaveMemories;
  sessions: SessionStore;
  check: Database['check'];
};

type StorageDeps = { newId: (prefix: string) => string; clock: () => Date };

/** Opens and migrates the schema. */
export const openStorage = async (
  databaseUrl: string,
  log: Log,
  deps: StorageDeps,
): Promise<Storage> => {
  const database = await openDatabase({
    url: databaseUrl,
    schema: 'agents',
    entities: [AgentEntity, SessionEntity, MessageEntity],
    migrations: MIGRATIONS,
    log,
  });
  const saveTurnMemories = createSaveTurnMemories(deps);
  return {
    agents: createAgentStore(database),
    facts: createFactStore(database),
    memories: createMemoryStore(database),
    recall: createRecall(database),
    saveMemories: createSaveMemories(database, saveTurnMemories),
    sessions: createSessionStore(database, deps.newId, saveTurnMemories),
    check: database.check,
    [Symbol.asyncDispose]: database[Symbol.asyncDispose],
  };
};
