import {
  createSecretCipher,
  openDatabase,
  startRelay,
  startReencryption,
} from '@witan/service-kit';
import type { Database, Log, Relay, RelayOptions } from '@witan/service-kit';
import type { AgentStore } from './agent/agent.ts';
import type { SessionStore } from './session/session.ts';
import type { ConversationStore } from './debate/conversation/conversation.ts';
import type { DebateArchive, DebateStore } from './debate/record/debate-store.ts';
import type { Recall } from './memory/recall/recall.ts';
import type { DocumentQueue, DocumentStore } from './knowledge/document.ts';
import type { KnowledgeStore } from './knowledge/knowledge.ts';
import type { KnowledgeSearch } from './knowledge/retrieve.ts';
import type { FactStore } from './extraction/facts.ts';
import type { MayShareMemories, MemoryPolicyStore, MemoryStore } from './memory/memory-store.ts';
import type { FindToolTarget, ReplaceToolSecret, ToolLinkStore, ToolStore } from './tool/tool.ts';
import { createAgentStore, AgentEntity } from './agent/store/agent-store.ts';
import { createConversationStore } from './debate/store/conversation-store.ts';
import { createDebateArchive, createDebateStore } from './debate/store/debate-store.ts';
import { createDocumentQueue, createDocumentStore } from './knowledge/store/document-store.ts';
import {
  ToolEntity,
  createFindToolTarget,
  createReplaceToolSecret,
  createToolStore,
  ENCRYPTED_TOOLS,
} from './tool/store/tool-store.ts';
import { MessageEntity, SessionEntity } from './session/store/session-entities.ts';
import { createFactStore } from './extraction/store/fact-store.ts';
import { createKnowledgeSearch } from './knowledge/store/knowledge-search.ts';
import { createKnowledgeStore, createPurge } from './knowledge/store/knowledge-store.ts';
import {
  createMayShareMemories,
  createMemoryPolicyStore,
} from './memory/store/memory-policy-store.ts';
import { createMemoryStore } from './memory/store/memory-store.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { createRecall } from './memory/store/recall.ts';
import { createSaveMemories } from './memory/store/save-turn-memories.ts';
import type { SaveMemories } from './memory/store/save-turn-memories.ts';
import { createSessionStore } from './session/store/session-store.ts';
import { createToolLinkStore } from './tool/store/tool-link-store.ts';

export type Storage = AsyncDisposable & {
  agents: AgentStore;
  conversations: ConversationStore;
  debates: DebateStore;
  debateArchive: DebateArchive;
  facts: FactStore;
  knowledge: KnowledgeStore;
  documents: DocumentStore;
  documentQueue: DocumentQueue;
  knowledgeSearch: KnowledgeSearch;
  /**
   * Deletes one document of a deleted source, or the source; resolves with false if none are left.
   */
  purgeKnowledge: () => Promise<boolean>;
  memories: MemoryStore;
  memoryPolicies: MemoryPolicyStore;
  mayShareMemories: MayShareMemories;
  recall: Recall;
  saveMemories: SaveMemories;
  sessions: SessionStore;
  tools: ToolStore;
  toolLinks: ToolLinkStore;
  replaceToolSecret: ReplaceToolSecret;
  findToolTarget: FindToolTarget;
  /** Starts the relay of the outbox, which must be stopped before the storage is closed. */
  startRelay: (parts: Omit<RelayOptions, 'database'>) => Relay;
  check: Database['check'];
};

type StorageDeps = {
  newId: (prefix: string) => string;
  clock: () => Date;
  /** Base64 of 32-byte keys for secrets of tools. The first key encrypts; every key can decrypt. */
  secretsKey: string;
  waitingBytesMax?: number;
};

export const openStorage = async (
  databaseUrl: string,
  log: Log,
  deps: StorageDeps,
): Promise<Storage> => {
  const secretCipher = createSecretCipher(deps.secretsKey);
  const database = await openDatabase({
    url: databaseUrl,
    schema: 'agents',
    entities: [AgentEntity, SessionEntity, MessageEntity, ToolEntity],
    migrations: MIGRATIONS,
    log,
  });
  const reencryption = startReencryption(database, secretCipher, { ...ENCRYPTED_TOOLS, log });
  const memoryPolicies = createMemoryPolicyStore(database);
  return {
    agents: createAgentStore(database),
    conversations: createConversationStore(database),
    debates: createDebateStore(database),
    debateArchive: createDebateArchive(database),
    facts: createFactStore(database),
    knowledge: createKnowledgeStore(database),
    documents: createDocumentStore(database, deps),
    documentQueue: createDocumentQueue(database),
    knowledgeSearch: createKnowledgeSearch(database),
    purgeKnowledge: createPurge(database),
    memories: createMemoryStore(database),
    memoryPolicies,
    mayShareMemories: createMayShareMemories(memoryPolicies),
    recall: createRecall(database),
    saveMemories: createSaveMemories(database, deps),
    sessions: createSessionStore(database, deps),
    tools: createToolStore(database, secretCipher),
    toolLinks: createToolLinkStore(database),
    replaceToolSecret: createReplaceToolSecret(database, secretCipher),
    findToolTarget: createFindToolTarget(database, secretCipher),
    startRelay: (parts) => startRelay({ database, ...parts }),
    check: database.check,
    [Symbol.asyncDispose]: async () => {
      await reencryption.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};
