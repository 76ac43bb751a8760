import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { DEFAULT_POLICY } from '../memory-store.ts';
import type { MayShareMemories, MemoryPolicyStore } from '../memory-store.ts';

export const createMemoryPolicyStore = (database: Database): MemoryPolicyStore => ({
  get: async (workspaceId) => {
    const [row] = await database.query<{ global_writes: boolean }>({
      name: 'find_memory_policy',
      text: 'SELECT * FROM find_memory_policy($1)',
      values: [workspaceScope(workspaceId).setting],
    });
    return row ? { globalWrites: row.global_writes } : DEFAULT_POLICY;
  },
  set: (workspaceId, { globalWrites }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(
        `INSERT INTO memory_policy (workspace_id, global_writes) VALUES (?, ?)
         ON CONFLICT (workspace_id) DO UPDATE
         SET global_writes = EXCLUDED.global_writes, updated_at = clock_timestamp()`,
        [workspaceId, globalWrites],
      );
    }),
});

/**
 * Returns a function that reads whether agents of a workspace may write global memories. It is
 * called after the model's answer, so that a change of the policy during the chat turn takes
 * effect.
 */
export const createMayShareMemories =
  (policies: Pick<MemoryPolicyStore, 'get'>): MayShareMemories =>
  async (workspaceId) =>
    (await policies.get(workspaceId)).globalWrites;
