import type { Transaction } from '@witan/service-kit';
import type { MemoryOwner } from '../memory-store.ts';

export type MemoryScope = {
  isGlobal: boolean;
  where: string;
  params: readonly string[];
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
 * Serializes the writers of an agent's or a workspace's memories until the transaction ends. A
 * transaction that locks both must lock the agent's first, to avoid a deadlock.
 */
export const lockScope = async (em: Transaction, { lock }: MemoryScope): Promise<void> => {
  await em.execute('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [lock]);
};

/**
 * Locks an agent against deletion until the transaction ends; resolves with false if the agent does
 * not exist. A deletion locks the agent before its other rows, so this must precede locks on those
 * rows to avoid a deadlock.
 */
export const lockAgent = async (
  em: Transaction,
  { workspaceId, agentId }: MemoryOwner,
): Promise<boolean> => {
  const locked = await em.execute<object[]>(
    'SELECT id FROM agent WHERE workspace_id = ? AND id = ? FOR KEY SHARE',
    [workspaceId, agentId],
  );
  return locked.length > 0;
};
