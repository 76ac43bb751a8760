import type { Transaction } from '@witan/service-kit';
import type { MemoryDraft, MemoryOwner, StoredMemory } from '../domain/memory/memory-store.ts';
import { MEMORY_COLUMNS, toMemory } from './memory-rows.ts';
import type { MemoryRow } from './memory-rows.ts';
import { lockScope, toGlobalScope, toOwnScope } from './memory-scope.ts';
import type { MemoryScope } from './memory-scope.ts';

/** Who writes. */
export type MemorySource = { origin: 'api' | 'tag'; sessionId: string | null };

/** What a full scope still takes: asked with those that are new in it and those that it holds. */
export type MakeRoom = (
  scope: MemoryScope,
  load: { fresh: readonly MemoryDraft[]; held: number; wanted: readonly MemoryDraft[] },
) => Promise<readonly MemoryDraft[]>;

/** Revisions of a memory that are kept; older ones are forgotten. */
const REVISIONS_MAX = 100;

/**
 * Writes drafts, which have each key once in a scope, and answers those that were written, in their
 * order. Another value than before makes the old one a revision; the same value counts as use, and
 * nothing else changes. The agent must be held.
 */
export const writeMemories = async (
  em: Transaction,
  owner: MemoryOwner,
  {
    drafts,
    makeRoom,
    ...source
  }: MemorySource & { drafts: readonly MemoryDraft[]; makeRoom: MakeRoom },
): Promise<StoredMemory[]> => {
  const written = new Map<string, StoredMemory>();
  for (const scope of [toOwnScope(owner), toGlobalScope(owner)]) {
    const wanted = drafts.filter(({ isGlobal }) => isGlobal === scope.isGlobal);
    if (wanted.length === 0) continue;
    await lockScope(em, scope);
    const keys = await readKeys(em, scope);
    const fresh = wanted.filter(({ keyNorm }) => !keys.has(keyNorm));
    const taken = new Set(await makeRoom(scope, { fresh, held: keys.size, wanted }));
    const kept = wanted.filter((draft) => keys.has(draft.keyNorm) || taken.has(draft));
    for (const memory of await upsert(em, scope, { owner, source, drafts: kept })) {
      written.set(placeOf(memory), memory);
    }
  }
  return drafts.flatMap((draft) => written.get(placeOf(draft)) ?? []);
};

const placeOf = ({ isGlobal, keyNorm }: Pick<MemoryDraft, 'isGlobal' | 'keyNorm'>): string =>
  `${isGlobal} ${keyNorm}`;

const readKeys = async (em: Transaction, { where, params }: MemoryScope): Promise<Set<string>> => {
  const sql = `SELECT key_norm FROM memory WHERE ${where}`;
  const rows = await em.execute<{ key_norm: string }[]>(sql, [...params]);
  return new Set(rows.map((row) => row.key_norm));
};

const upsert = async (
  em: Transaction,
  scope: MemoryScope,
  what: { owner: MemoryOwner; source: MemorySource; drafts: readonly MemoryDraft[] },
): Promise<StoredMemory[]> => {
  const { owner, source } = what;
  const drafts = what.drafts.map(({ keyNorm, ...draft }) => ({ ...draft, key_norm: keyNorm }));
  const rows = await em.execute<MemoryRow[]>(upsertSql(scope), [
    JSON.stringify(drafts),
    ...scope.params,
    source.origin,
    source.sessionId,
    owner.workspaceId,
    scope.isGlobal ? null : owner.agentId,
    source.origin,
    source.sessionId,
  ]);
  return rows.map(toMemory);
};

/** Its steps see the table as it was before; the lock of the scope keeps it so. */
const upsertSql = ({ where }: MemoryScope): string => `
  WITH wanted AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(?::jsonb)
      AS draft (id text, key text, key_norm text, value text, type text)
  ), moment AS MATERIALIZED (
    SELECT clock_timestamp() AS at
  ), known AS MATERIALIZED (
    SELECT memory.id, memory.workspace_id, memory.revision, memory.key, memory.key_norm,
      memory.value, memory.type, memory.origin, memory.updated_at,
      memory.value <> wanted.value OR memory.type <> wanted.type AS is_changed
    FROM memory JOIN wanted USING (key_norm) WHERE ${where}
  ), revised AS (
    INSERT INTO memory_revision (
      memory_id, workspace_id, revision, key, value, type, origin, valid_from, valid_to
    )
    SELECT id, workspace_id, revision, key, value, type, origin, updated_at, at
    FROM known, moment WHERE is_changed
  ), forgotten AS (
    DELETE FROM memory_revision AS old USING known
    WHERE old.memory_id = known.id AND old.revision <= known.revision - ${REVISIONS_MAX}
  ), changed AS (
    UPDATE memory SET key = wanted.key, value = wanted.value, type = wanted.type, origin = ?,
      session_id = ?, revision = known.revision + 1, updated_at = at, used_at = at
    FROM known JOIN wanted USING (key_norm), moment
    WHERE memory.id = known.id AND is_changed
    RETURNING ${RETURNED}
  ), used AS (
    UPDATE memory SET used_at = at FROM known, moment
    WHERE memory.id = known.id AND NOT is_changed
    RETURNING ${RETURNED}
  ), added AS (
    INSERT INTO memory (
      id, workspace_id, agent_id, key, key_norm, value, type, origin, session_id, created_at,
      updated_at, used_at
    )
    SELECT id, ?, ?, key, key_norm, value, type, ?, ?, at, at, at FROM wanted, moment
    WHERE key_norm NOT IN (SELECT key_norm FROM known)
    RETURNING ${RETURNED}
  )
  SELECT * FROM changed UNION ALL SELECT * FROM used UNION ALL SELECT * FROM added`;

const RETURNED = MEMORY_COLUMNS.replaceAll(/\w+/g, 'memory.$&');
