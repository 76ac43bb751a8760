import {
  createSecretCipher,
  openDatabase,
  startRelay,
  startReencryption,
} from '@witan/service-kit';
import type { Log, Relay, RelayOptions } from '@witan/service-kit';
import { createAgentStore, AgentEntity } from './agent/store/agent-store.ts';
import { createConversationStore } from './debate/store/conversation-store.ts';
import {
  createDebateArchive,
  createDebateStore,
  createTakeOverDebate,
} from './debate/store/debate-store.ts';
import { createDocumentQueue, createDocumentStore } from './knowledge/store/document-store.ts';
import {
  ToolEntity,
  createFindToolTarget,
  createToolStore,
  ENCRYPTED_TOOLS,
} from './tool/store/tool-store.ts';
import { createFactStore } from './extraction/store/fact-store.ts';
import { createKnowledgeSearch } from './knowledge/store/knowledge-search.ts';
import {
  createEmbeddingQueue,
  createFindNearest,
  createStaleDocuments,
} from './knowledge/store/vector-store.ts';
import { createKnowledgeStore, createPurge } from './knowledge/store/knowledge-store.ts';
import {
  createMemoryPolicyStore,
  createMemoryStore,
  createRecall,
} from './memory/store/memory-store.ts';
import { createSaveMemories } from './memory/store/write-memories.ts';
import {
  createFindMcpEndpoint,
  createMcpServerStore,
  createSaveMcpCall,
  ENCRYPTED_MCP_SERVERS,
} from './mcp-server/store/mcp-server-store.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { createSessionStore } from './session/store/session-store.ts';
import { createToolLinkStore } from './tool/store/tool-link-store.ts';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

type StorageDeps = {
  newId: (prefix: string) => string;
  clock: () => Date;
  /**
   * Base64 of 32-byte keys, separated by commas, for the secrets of tools. The first key encrypts;
   * every key can decrypt.
   */
  secretsKey: string;
  waitingBytesMax?: number;
};

/** Connects to the database, migrates it and returns the stores of all features. */
export const openStorage = async (databaseUrl: string, log: Log, deps: StorageDeps) => {
  const secretCipher = createSecretCipher(deps.secretsKey);
  const database = await openDatabase({
    url: databaseUrl,
    schema: 'agents',
    entities: [AgentEntity, ToolEntity],
    migrations: MIGRATIONS,
    log,
  });
  const reencryptions = [ENCRYPTED_TOOLS, ENCRYPTED_MCP_SERVERS].map((table) =>
    startReencryption(database, secretCipher, { ...table, log }),
  );
  return {
    agents: createAgentStore(database),
    conversations: createConversationStore(database),
    debates: createDebateStore(database),
    debateArchive: createDebateArchive(database),
    takeOverDebate: createTakeOverDebate(database),
    facts: createFactStore(database),
    knowledge: createKnowledgeStore(database),
    documents: createDocumentStore(database, deps),
    documentQueue: createDocumentQueue(database),
    knowledgeSearch: createKnowledgeSearch(database),
    purgeKnowledge: createPurge(database),
    /** Stores and finds vectors of one embedding model. */
    vectorsOf: (model: string) => ({
      queue: createEmbeddingQueue(database, model),
      stale: createStaleDocuments(database, model),
      findNearest: createFindNearest(database, model),
    }),
    memories: createMemoryStore(database),
    memoryPolicies: createMemoryPolicyStore(database),
    recall: createRecall(database),
    saveMemories: createSaveMemories(database, deps),
    sessions: createSessionStore(database, deps),
    tools: createToolStore(database, secretCipher),
    toolLinks: createToolLinkStore(database),
    findToolTarget: createFindToolTarget(database, secretCipher),
    mcpServers: createMcpServerStore(database, secretCipher),
    findMcpEndpoint: createFindMcpEndpoint(database, secretCipher),
    saveMcpCall: createSaveMcpCall(database),
    /** Starts the relay of the outbox, which must be stopped before the storage is closed. */
    startRelay: (parts: Omit<RelayOptions, 'database'>): Relay =>
      startRelay({ database, ...parts }),
    check: database.check,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await Promise.all(reencryptions.map(({ stop }) => stop()));
      await database[Symbol.asyncDispose]();
    },
  };
};
