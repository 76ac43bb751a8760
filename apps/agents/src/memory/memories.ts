import { invalidRequest, notFound, readPage } from '@witan/contracts';
import type { Page, PageRequest } from '@witan/contracts';
import { noSuchAgent } from '../agent/agents.ts';
import type { Agents } from '../agent/agents.ts';
import { checkNotEmpty, checkText, staysLocal } from '../agent/agent.ts';
import { MEMORY_KEY_LENGTH_MAX, toKeyNorm, toMemoryType } from './memory.ts';
import type {
  MemoryDraft,
  MemoryOwner,
  MemoryRevision,
  MemoryStore,
  StoredMemory,
} from './memory-store.ts';
import { MEMORY_LENGTH_MAX } from './tags/to-memory-tag.ts';
import type { MemoryTag } from './tags/to-memory-tag.ts';

type NewMemory = { key: string; value: string; type: string; global: boolean };

export type Memories = ReturnType<typeof createMemories>;

/** Maximum number of memories of an agent, and separately of global memories of a workspace. */
export const MEMORIES_MAX = 2_000;
const BATCH_MAX = 100;

export const createMemories = (deps: {
  agents: Pick<Agents, 'get'>;
  store: MemoryStore;
  newId: (prefix: string) => string;
}) => ({
  /**
   * Upserts memories by key; of several with the same key and scope, the last one is stored.
   * Returns the memories in the order in which their keys first occur. If it rejects, for example
   * with CONFLICT `memory_limit_reached`, nothing is stored.
   */
  save: async (owner: MemoryOwner, newMemories: readonly NewMemory[]): Promise<StoredMemory[]> => {
    if (newMemories.length === 0 || newMemories.length > BATCH_MAX) {
      throw invalidRequest(`memories must be 1 to ${BATCH_MAX}.`, { param: 'memories' });
    }
    const validMemories = newMemories.map((memory, index) =>
      toValidMemory(memory, `memories[${index}]`),
    );
    const agent = await deps.agents.get(owner.workspaceId, owner.agentId);
    // A memory given to an agent whose calls stay on the machine must stay there, too.
    const marks = { isLocalOnly: staysLocal(agent), isTainted: false, isGlobalDenied: false };
    const drafts = new Map<string, MemoryDraft>();
    for (const memory of validMemories) {
      drafts.set(`${memory.isGlobal} ${memory.keyNorm}`, {
        ...memory,
        ...marks,
        id: deps.newId('mem'),
      });
    }
    return (await deps.store.save(owner, [...drafts.values()], MEMORIES_MAX)) ?? throwNotFound();
  },
  list: (owner: MemoryOwner, page: PageRequest): Promise<Page<StoredMemory>> =>
    readPage(page, async (query) => (await deps.store.list(owner, query)) ?? throwNotFound()),
  listRevisions: async (owner: MemoryOwner, id: string): Promise<MemoryRevision[]> =>
    (await deps.store.listRevisions(owner, id)) ?? throwNoSuchMemory(),
  remove: async (owner: MemoryOwner, id: string): Promise<void> => {
    if (!(await deps.store.delete(owner, id))) throwNoSuchMemory();
  },
});

const toValidMemory = (memory: NewMemory, path: string): MemoryTag => {
  const key = memory.key.trim();
  const keyNorm = toKeyNorm(key);
  const param = `${path}.key`;
  checkNotEmpty(key, param);
  checkText(key, { param, max: MEMORY_KEY_LENGTH_MAX });
  checkNotEmpty(memory.value, `${path}.value`);
  checkText(memory.value, { param: `${path}.value`, max: MEMORY_LENGTH_MAX });
  if (keyNorm === '') {
    const max = MEMORY_KEY_LENGTH_MAX;
    const message = `${param} must have a letter or a digit, and no more than ${max}.`;
    throw invalidRequest(message, { param });
  }
  const type = toMemoryType(memory.type);
  return { key, keyNorm, type, value: memory.value, isGlobal: memory.global };
};

const throwNoSuchMemory = (): never => {
  throw notFound('This agent has no such memory, and neither has the workspace.');
};

const throwNotFound = (): never => {
  throw noSuchAgent();
};
