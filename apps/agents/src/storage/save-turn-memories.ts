import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import { noSuchAgent } from '../domain/agent/agents.ts';
import type { Memory } from '../domain/memory/memory.ts';
import { MEMORIES_MAX } from '../domain/memory/memories.ts';
import type { StoredMemory } from '../domain/memory/memory-store.ts';
import { holdAgent } from './memory-scope.ts';
import type { SaveTurnMemories, TurnMemories } from './memory-store.ts';
import { writeMemories } from './write-memories.ts';
import type { MakeRoom } from './write-memories.ts';

/**
 * Where all places are taken, the notes that agents wrote and that were not used for longest give
 * way; what others than agents gave, and what is more than a note, never does: then what is new is
 * not kept. Throws NOT_FOUND when the agent is gone.
 *
 * To be called last in the transaction: what it marks as used stays locked until the end, and
 * whoever waits for something else then could wait in a circle.
 */
export const createSaveTurnMemories =
  (deps: { newId: (prefix: string) => string; clock: () => Date }): SaveTurnMemories =>
  async (em, { workspaceId, agentId, sessionId, memories, used }) => {
    const owner = { workspaceId, agentId };
    if (memories.length > 0 && !(await holdAgent(em, owner))) throw noSuchAgent();
    const saved = await writeMemories(em, owner, {
      drafts: memories.map((memory) => ({ ...memory, id: deps.newId('mem') })),
      makeRoom: forgetNotes(em),
      origin: 'tag',
      sessionId,
    });
    await markUsed(em, workspaceId, toBeMarked(used, deps.clock()));
    return saved;
  };

/** Keeps what a turn in no session asked to be remembered. */
export type SaveMemories = (
  workspaceId: string,
  turn: Omit<TurnMemories, 'workspaceId' | 'sessionId'>,
) => Promise<StoredMemory[]>;

/** The same in a transaction of its own. */
export const createSaveMemories =
  (database: Database, save: SaveTurnMemories): SaveMemories =>
  (workspaceId, turn) =>
    database.scoped(workspaceScope(workspaceId), (em) =>
      save(em, { ...turn, workspaceId, sessionId: null }),
    );

const forgetNotes =
  (em: Transaction): MakeRoom =>
  async ({ where, params }, { fresh, held, wanted }) => {
    const excess = held + fresh.length - MEMORIES_MAX;
    if (excess <= 0) return fresh;
    const forgotten = await em.execute<object[]>(
      `DELETE FROM memory WHERE id IN (
         SELECT id FROM memory WHERE ${where} AND type = 'note' AND origin = 'tag'
           AND key_norm NOT IN (SELECT jsonb_array_elements_text(?::jsonb))
         ORDER BY used_at, id LIMIT ?
       ) RETURNING id`,
      [...params, JSON.stringify(wanted.map(({ keyNorm }) => keyNorm)), excess],
    );
    const room = fresh.length - (excess - forgotten.length);
    return fresh.slice(0, Math.max(room, 0));
  };

/**
 * Recency of use falls by half in six days: to the hour is close enough, and most turns mark
 * nothing at all.
 */
const USE_STEP_MS = 3_600_000;

const toBeMarked = (used: readonly Memory[], now: Date): string[] =>
  used
    .filter(({ lastUsedAt }) => now.getTime() - lastUsedAt.getTime() >= USE_STEP_MS)
    .map(({ id }) => id);

/** Skips those that another turn is writing, which uses them, too: nobody waits here. */
const markUsed = async (
  em: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> => {
  if (ids.length === 0) return;
  await em.execute(
    `UPDATE memory SET used_at = clock_timestamp() WHERE id IN (
       SELECT id FROM memory
       WHERE workspace_id = ? AND id IN (SELECT jsonb_array_elements_text(?::jsonb))
       FOR NO KEY UPDATE SKIP LOCKED
     )`,
    [workspaceId, JSON.stringify(ids)],
  );
};
