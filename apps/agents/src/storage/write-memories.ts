import { conflict } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { noSuchAgent } from '../domain/agent/agents.ts';
import { noSuchSession } from '../domain/chat/sessions.ts';
import type { MemoryDraft, MemoryOwner, StoredMemory } from '../domain/memory/memory-store.ts';
import { toMemory } from './memory-rows.ts';
import type { MemoryRow } from './memory-rows.ts';

/** What is written of memories at once. */
export type MemoryWrite = {
  /** Each key once in a scope. */
  drafts: readonly MemoryDraft[];
  /** Places of a scope. */
  max: number;
  /** Ids of those that were used otherwise. */
  used: readonly string[];
};

/**
 * Writes drafts, and answers those that were written, in their order. Where all places are taken
 * the API is refused with CONFLICT `memory_limit_reached`, and nothing is written; of tags, the
 * notes that agents wrote and that were not used for longest give way, and what has no place then
 * is not kept. Rejects with NOT_FOUND when the agent is not there, if there are drafts.
 */
export const writeMemories = async (
  query: Database['query'],
  { workspaceId, agentId }: MemoryOwner,
  { origin, ...write }: MemoryWrite & { origin: 'api' | 'tag' },
): Promise<StoredMemory[]> => {
  const rows = await orRefuse(
    query<MemoryRow>({
      name: 'write_marked_memories',
      text: 'SELECT * FROM write_marked_memories($1, $2, $3, NULL, $4, $5, $6, $7)',
      values: [workspaceScope(workspaceId).setting, agentId, origin, ...toParams(write)],
    }),
  );
  return inOrder(write, rows);
};

/** As the functions that write it take it. */
export const toParams = ({ drafts, max, used }: MemoryWrite) => [
  toJson(drafts.filter(({ isGlobal }) => !isGlobal)),
  toJson(drafts.filter(({ isGlobal }) => isGlobal)),
  max,
  used,
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

/** What such a function answers, in the order of the drafts. */
export const inOrder = (
  { drafts }: Pick<MemoryWrite, 'drafts'>,
  rows: readonly MemoryRow[],
): StoredMemory[] => {
  const written = new Map(rows.map(toMemory).map((memory) => [scopedKeyOf(memory), memory]));
  return drafts.flatMap((draft) => written.get(scopedKeyOf(draft)) ?? []);
};

const scopedKeyOf = ({ isGlobal, keyNorm }: Pick<MemoryDraft, 'isGlobal' | 'keyNorm'>): string =>
  `${isGlobal} ${keyNorm}`;

/** What such a function refuses (`0008-writes-of-turns.ts`), in the words of the service. */
export const orRefuse = async <T>(writing: Promise<T>): Promise<T> => {
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
