export const MEMORY_TYPES = ['fact', 'preference', 'decision', 'goal', 'note'] as const;

export type MemoryType = (typeof MEMORY_TYPES)[number];

export function toMemoryType(text: string | undefined): MemoryType {
  const normalizedText = text?.trim().toLowerCase();
  return MEMORY_TYPES.find((type) => type === normalizedText) ?? 'note';
}

export type MemoryOrigin = 'tag' | 'api' | 'fact';

export type MemoryMarks = {
  /**
   * True if the memory was derived from a call that stayed on the machine; it is shown only in such
   * calls.
   */
  isLocalOnly: boolean;
  /**
   * True if the memory was written in a gateway call, or in a turn whose prompt contained tool
   * results, passages, context or a tainted memory. A turn whose prompt contains this memory writes
   * no global memory.
   */
  isTainted: boolean;
};

export type Memory = MemoryMarks & {
  id: string;
  /** Key in its original spelling; `keyNorm` identifies the memory. */
  key: string;
  keyNorm: string;
  type: MemoryType;
  value: string;
  isGlobal: boolean;
  importance: number;
  origin: MemoryOrigin;
  /** Session in which the memory was last changed; null if that was outside of a session. */
  sessionId: string | null;
  updatedAt: Date;
  lastUsedAt: Date;
};

/**
 * Compares memories by key, then by id, independently of the locale, so that prompts are
 * deterministic.
 */
export function compareKeys(one: Memory, other: Memory): number {
  if (one.keyNorm !== other.keyNorm) return one.keyNorm < other.keyNorm ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}
