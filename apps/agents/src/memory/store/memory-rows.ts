import type { StoredMemory } from '../memory-store.ts';

export const MEMORY_COLUMNS = `id, agent_id, key, key_norm, value, type, origin, session_id,
  importance, created_at, updated_at, used_at, local_only, tainted, global_denied`;

/**
 * Row of a memory. Timestamps are strings if read with `execute` and dates if read with `query`.
 */
export type MemoryRow = {
  id: string;
  agent_id: string | null;
  key: string;
  key_norm: string;
  value: string;
  type: StoredMemory['type'];
  origin: StoredMemory['origin'];
  session_id: string | null;
  importance: number;
  created_at: string | Date;
  updated_at: string | Date;
  used_at: string | Date;
  local_only: boolean;
  tainted: boolean;
  global_denied: boolean;
};

export const toMemory = (row: MemoryRow): StoredMemory => ({
  id: row.id,
  key: row.key,
  keyNorm: row.key_norm,
  type: row.type,
  value: row.value,
  isGlobal: row.agent_id === null,
  isLocalOnly: row.local_only,
  isTainted: row.tainted,
  isGlobalDenied: row.global_denied,
  importance: row.importance,
  origin: row.origin,
  sessionId: row.session_id,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  lastUsedAt: new Date(row.used_at),
});
