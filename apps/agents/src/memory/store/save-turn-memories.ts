import type { Database } from '@witan/service-kit';
import type { AcceptedMemory } from '../tags/filter-memory-tags.ts';
import type { Memory } from '../memory.ts';
import { MEMORIES_MAX } from '../memories.ts';
import type { MemoryOwner, StoredMemory } from '../memory-store.ts';
import { writeMemories } from './write-memories.ts';
import type { MemoryWrite } from './write-memories.ts';

export type TurnMemories = {
  memories: readonly AcceptedMemory[];
  shownMemories: readonly Memory[];
};

export type TurnDeps = { newId: (prefix: string) => string; clock: () => Date };

export const toMemoryWrite = (
  { memories, shownMemories }: TurnMemories,
  { newId, clock }: TurnDeps,
): MemoryWrite => ({
  drafts: memories.map((memory) => ({ ...memory, id: newId('mem') })),
  max: MEMORIES_MAX,
  usedIds: idsToMarkUsed(shownMemories, clock()),
});

/**
 * Precision of a memory's time of last use. Recency halves in six days, so an hour is precise
 * enough, and most chat turns need no update.
 */
const USE_PRECISION_MS = 3_600_000;

const idsToMarkUsed = (shownMemories: readonly Memory[], now: Date): string[] =>
  shownMemories
    .filter(({ lastUsedAt }) => now.getTime() - lastUsedAt.getTime() >= USE_PRECISION_MS)
    .map(({ id }) => id);

export type SaveMemories = (
  workspaceId: string,
  turn: TurnMemories & Pick<MemoryOwner, 'agentId'>,
) => Promise<StoredMemory[]>;

export const createSaveMemories =
  ({ query }: Pick<Database, 'query'>, deps: TurnDeps): SaveMemories =>
  async (workspaceId, { agentId, ...turn }) => {
    const write = toMemoryWrite(turn, deps);
    if (write.drafts.length === 0 && write.usedIds.length === 0) return [];
    return await writeMemories(query, { workspaceId, agentId }, { ...write, origin: 'tag' });
  };
