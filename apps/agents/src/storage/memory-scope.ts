import type { Transaction } from '@witan/service-kit';
import type { MemoryOwner } from '../domain/memory/memory-store.ts';

/** Where a key means one memory: an agent, or a whole workspace. `where` selects its rows. */
export type MemoryScope = {
  isGlobal: boolean;
  where: string;
  params: readonly string[];
  /** Whoever writes in the scope holds a lock of this name. */
  lock: string;
};

export const toOwnScope = ({ workspaceId, agentId }: MemoryOwner): MemoryScope => ({
  isGlobal: false,
  where: 'memory.workspace_id = ? AND memory.agent_id = ?',
  params: [workspaceId, agentId],
  lock: `memories of ${agentId}`,
});

export const toGlobalScope = ({ workspaceId }: Pick<MemoryOwner, 'workspaceId'>): MemoryScope => ({
  isGlobal: true,
  where: 'memory.workspace_id = ? AND memory.agent_id IS NULL',
  params: [workspaceId],
  lock: `memories of ${workspaceId}`,
});

/**
 * Lines up those who write in a scope, until the transaction ends: the next statement sees what the
 * one before wrote. Who locks two takes the agent's own first, or two would wait for each other.
 */
export const lockScope = async (em: Transaction, { lock }: MemoryScope): Promise<void> => {
  await em.execute('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [lock]);
};

/**
 * Keeps an agent from being deleted until the transaction ends; false when it is not there. To be
 * called before the transaction locks anything of the agent's, for a deletion locks in that order.
 */
export const holdAgent = async (
  em: Transaction,
  { workspaceId, agentId }: MemoryOwner,
): Promise<boolean> => {
  const held = await em.execute<object[]>(
    'SELECT id FROM agent WHERE workspace_id = ? AND id = ? FOR KEY SHARE',
    [workspaceId, agentId],
  );
  return held.length > 0;
};
