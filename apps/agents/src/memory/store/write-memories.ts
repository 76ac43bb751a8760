import { conflict } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { noSuchAgent } from '../../agent/agents.ts';
import { MEMORIES_MAX } from '../memories.ts';
import type { Memory } from '../memory.ts';
import { noSuchSession } from '../memory-store.ts';
import type { MemoryDraft, MemoryOwner, StoredMemory } from '../memory-store.ts';
import type { AcceptedMemory } from '../tags/filter-memory-tags.ts';

type MemoryWrite = {
  drafts: readonly MemoryDraft[];
  /** Maximum number of memories of an agent and of global memories of a workspace. */
  max: number;
  /** Ids of memories that the prompt contained and whose time of last use is to be updated. */
  usedIds: readonly string[];
};

/**
 * Upserts memories and returns them in the order of the drafts. If the agent or the workspace has
 * the maximum number, writes by the API reject with CONFLICT `memory_limit_reached`; writes by tags
 * in a model's answer evict the least recently used notes that agents wrote, and drafts that still
 * do not fit are dropped. Rejects with NOT_FOUND if there are drafts and the agent does not exist.
 */
export const writeMemories = (
  query: Database['query'],
  { workspaceId, agentId }: MemoryOwner,
  { origin, ...write }: MemoryWrite & { origin: 'api' | 'tag' },
): Promise<StoredMemory[]> =>
  callWrite(query, write, {
    name: 'write_marked_memories',
    call: 'write_marked_memories($1, $2, $3, NULL, $4, $5, $6, $7)',
    values: [workspaceScope(workspaceId).setting, agentId, origin],
  });

export const MEMORY_COLUMNS = `id, key, key_norm AS "keyNorm", type, value,
  agent_id IS NULL AS "isGlobal", local_only AS "isLocalOnly", tainted AS "isTainted",
  global_denied AS "isGlobalDenied", importance, origin, session_id AS "sessionId",
  created_at AS "createdAt", updated_at AS "updatedAt", used_at AS "lastUsedAt"`;

/**
 * Calls an SQL function that writes memories and returns them in the order of the drafts. The last
 * four parameters of the call are those of the write; `values` are the ones before them.
 */
export const callWrite = async (
  query: Database['query'],
  { drafts, max, usedIds }: MemoryWrite,
  { name, call, values }: { name: string; call: string; values: readonly unknown[] },
): Promise<StoredMemory[]> => {
  const own = drafts.filter(({ isGlobal }) => !isGlobal);
  const global = drafts.filter(({ isGlobal }) => isGlobal);
  const params = [...values, toJson(own), toJson(global), max, usedIds];
  const text = `SELECT ${MEMORY_COLUMNS} FROM ${call}`;
  const rows = await mapWriteErrors(query<StoredMemory>({ name, text, values: params }));
  const written = new Map(rows.map((memory) => [scopedKeyOf(memory), memory]));
  return drafts.flatMap((draft) => written.get(scopedKeyOf(draft)) ?? []);
};

const toJson = (drafts: readonly MemoryDraft[]): string =>
  JSON.stringify(
    drafts.map(({ id, key, keyNorm, value, type, ...marks }) => ({
      id,
      key,
      key_norm: keyNorm,
      value,
      type,
      local_only: marks.isLocalOnly,
      tainted: marks.isTainted,
      global_denied: marks.isGlobalDenied,
    })),
  );

const scopedKeyOf = ({ isGlobal, keyNorm }: Pick<MemoryDraft, 'isGlobal' | 'keyNorm'>): string =>
  `${isGlobal} ${keyNorm}`;

/** Maps the error codes of `save_chat_turn` and `write_marked_memories` to ServiceErrors. */
const mapWriteErrors = async <T>(writing: Promise<T>): Promise<T> => {
  try {
    return await writing;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === 'WT001') throw noSuchAgent();
    if (code === 'WT002') throw noSuchSession();
    if (code === 'WT003') throw conflict(message, { code: 'memory_limit_reached' });
    throw error;
  }
};

type TurnMemories = {
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

type SaveMemories = (
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
