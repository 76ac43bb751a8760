import { conflict } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { noSuchAgent } from '../../agent/agents.ts';
import { noSuchSession } from '../memory-store.ts';
import type { MemoryDraft, MemoryOwner, StoredMemory } from '../memory-store.ts';
import { toMemory } from './memory-rows.ts';
import type { MemoryRow } from './memory-rows.ts';

export type MemoryWrite = {
  drafts: readonly MemoryDraft[];
  /** Maximum number of memories of an agent and of global memories of a workspace. */
  max: number;
  /** Ids of the memories that the prompt contained; their time of last use is updated. */
  usedIds: readonly string[];
};

/**
 * Upserts memories and returns them in the order of the drafts. If the agent or the workspace has
 * the maximum number, writes by the API reject with CONFLICT `memory_limit_reached`; writes by tags
 * in a model's answer evict the least recently used notes that agents wrote, and drafts that still
 * do not fit are dropped. Rejects with NOT_FOUND if there are drafts and the agent does not exist.
 */
export const writeMemories = async (
  query: Database['query'],
  { workspaceId, agentId }: MemoryOwner,
  { origin, ...write }: MemoryWrite & { origin: 'api' | 'tag' },
): Promise<StoredMemory[]> => {
  const rows = await mapWriteErrors(
    query<MemoryRow>({
      name: 'write_marked_memories',
      text: 'SELECT * FROM write_marked_memories($1, $2, $3, NULL, $4, $5, $6, $7)',
      values: [workspaceScope(workspaceId).setting, agentId, origin, ...toParams(write)],
    }),
  );
  return sortLikeDrafts(write, rows);
};

export const toParams = ({ drafts, max, usedIds }: MemoryWrite) => [
  toJson(drafts.filter(({ isGlobal }) => !isGlobal)),
  toJson(drafts.filter(({ isGlobal }) => isGlobal)),
  max,
  usedIds,
];

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

export const sortLikeDrafts = (
  { drafts }: Pick<MemoryWrite, 'drafts'>,
  rows: readonly MemoryRow[],
): StoredMemory[] => {
  const writtenMemories = new Map(
    rows.map(toMemory).map((memory) => [scopedKeyOf(memory), memory]),
  );
  return drafts.flatMap((draft) => writtenMemories.get(scopedKeyOf(draft)) ?? []);
};

const scopedKeyOf = ({ isGlobal, keyNorm }: Pick<MemoryDraft, 'isGlobal' | 'keyNorm'>): string =>
  `${isGlobal} ${keyNorm}`;

/** Maps the error codes of `save_chat_turn` and `write_marked_memories` to ServiceErrors. */
export const mapWriteErrors = async <T>(writing: Promise<T>): Promise<T> => {
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
