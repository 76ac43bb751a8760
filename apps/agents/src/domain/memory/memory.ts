export const MEMORY_TYPES = ['fact', 'preference', 'decision', 'goal', 'note'] as const;

export type MemoryType = (typeof MEMORY_TYPES)[number];

/** Ignores case; a missing or unknown type is `note`. */
export function toMemoryType(text: string | undefined): MemoryType {
  const wanted = text?.trim().toLowerCase();
  return MEMORY_TYPES.find((type) => type === wanted) ?? 'note';
}

/** The writer: a tag of the model, a caller of the API, or the extractor. */
export type MemoryOrigin = 'tag' | 'api' | 'fact';

/** Marks that limit where a memory may be shown and what its turn may write. */
export type MemoryMarks = {
  /** Derived from a local call, and shown in local calls only. */
  isLocalOnly: boolean;
  /**
   * Written in a turn with tool results, passages, context or a tainted memory; a turn that is
   * shown it writes no global memory.
   */
  isTainted: boolean;
};

/** A memory as recalled. */
export type Memory = MemoryMarks & {
  id: string;
  /** As written; `keyNorm` identifies the memory. */
  key: string;
  keyNorm: string;
  type: MemoryType;
  value: string;
  /** Shared by all agents of the workspace. */
  isGlobal: boolean;
  /** 0 to 1. */
  importance: number;
  origin: MemoryOrigin;
  /** Session of the last change; null if it was outside of one. */
  sessionId: string | null;
  updatedAt: Date;
  lastUsedAt: Date;
};

/** Sorts by normalized key, independent of locale, so that prompts are deterministic. */
export function compareKeys(one: Memory, other: Memory): number {
  if (one.keyNorm !== other.keyNorm) return one.keyNorm < other.keyNorm ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}
