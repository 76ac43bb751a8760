import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { MemoryRevisionSchema, MemorySchema } from '@witan/contracts';
import type { MemoryService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Memories } from '../memories.ts';
import type { MemoryPolicyStore, MemoryRevision, StoredMemory } from '../memory-store.ts';

export const createMemoryHandlers = (
  memories: Memories,
  policies: MemoryPolicyStore,
): Handlers<typeof MemoryService> => ({
  saveMemories: async ({ agentId, memories: drafts }, { workspaceId }) => {
    const saved = await memories.save({ workspaceId, agentId }, drafts);
    return { memories: saved.map(toMemory) };
  },
  listMemories: async ({ agentId, ...page }, { workspaceId }) => {
    const { items, nextCursor } = await memories.list({ workspaceId, agentId }, page);
    return { memories: items.map(toMemory), nextCursor };
  },
  listMemoryRevisions: async ({ agentId, memoryId }, { workspaceId }) => {
    const revisions = await memories.listRevisions({ workspaceId, agentId }, memoryId);
    return { revisions: revisions.map(toRevision) };
  },
  deleteMemory: async ({ agentId, memoryId }, { workspaceId }) => {
    await memories.remove({ workspaceId, agentId }, memoryId);
    return {};
  },
  getMemoryPolicy: async (_request, { workspaceId }) => ({
    policy: await policies.get(workspaceId),
  }),
  setMemoryPolicy: async ({ policy }, { workspaceId }) => {
    if (!policy) throw invalidRequest('policy is missing.', { param: 'policy' });
    const { globalWrites } = policy;
    await policies.set(workspaceId, { globalWrites });
    return { policy: { globalWrites } };
  },
});

const toMemory = (memory: StoredMemory): MessageInitShape<typeof MemorySchema> => ({
  id: memory.id,
  key: memory.key,
  value: memory.value,
  type: memory.type,
  global: memory.isGlobal,
  source: memory.origin,
  createdAt: timestampFromDate(memory.createdAt),
  updatedAt: timestampFromDate(memory.updatedAt),
  localOnly: memory.isLocalOnly,
  tainted: memory.isTainted,
  globalDenied: memory.isGlobalDenied,
});

const toRevision = ({
  origin,
  validFrom,
  validTo,
  ...revision
}: MemoryRevision): MessageInitShape<typeof MemoryRevisionSchema> => ({
  ...revision,
  source: origin,
  validFrom: timestampFromDate(validFrom),
  validTo: timestampFromDate(validTo),
});
