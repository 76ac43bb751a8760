import type { Database } from '@witan/service-kit';
import type { GuardedMemory } from '../domain/memory/guard-memories.ts';
import type { Memory } from '../domain/memory/memory.ts';
import { MEMORIES_MAX } from '../domain/memory/memories.ts';
import type { MemoryOwner, StoredMemory } from '../domain/memory/memory-store.ts';
import { writeMemories } from './write-memories.ts';
import type { MemoryWrite } from './write-memories.ts';

/** What a turn leaves behind of memories. */
export type TurnMemories = {
  /** Of its tags, as guarded; each key once. */
  memories: readonly GuardedMemory[];
  /** Those that the prompt showed. */
  used: readonly Memory[];
};

export type TurnDeps = { newId: (prefix: string) => string; clock: () => Date };

/** What of it is written. */
export const toMemoryWrite = (
  { memories, used }: TurnMemories,
  { newId, clock }: TurnDeps,
): MemoryWrite => ({
  drafts: memories.map((memory) => ({ ...memory, id: newId('mem') })),
  max: MEMORIES_MAX,
  used: toBeMarked(used, clock()),
});

/**
 * Recency of use falls by half in six days: to the hour is close enough, and most turns mark
 * nothing at all.
 */
const USE_STEP_MS = 3_600_000;

const toBeMarked = (used: readonly Memory[], now: Date): string[] =>
  used
    .filter(({ lastUsedAt }) => now.getTime() - lastUsedAt.getTime() >= USE_STEP_MS)
    .map(({ id }) => id);

/** Keeps what a turn in no session asked to be remembered, and answers it in order. */
export type SaveMemories = (
  workspaceId: string,
  turn: TurnMemories & Pick<MemoryOwner, 'agentId'>,
) => Promise<StoredMemory[]>;

export const createSaveMemories =
  ({ query }: Pick<Database, 'query'>, deps: TurnDeps): SaveMemories =>
  async (workspaceId, { agentId, ...turn }) => {
    const write = toMemoryWrite(turn, deps);
    if (write.drafts.length === 0 && write.used.length === 0) return [];
    return await writeMemories(query, { workspaceId, agentId }, { ...write, origin: 'tag' });
  };
