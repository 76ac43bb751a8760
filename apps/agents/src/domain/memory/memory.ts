/** What a memory is about (decisions.md, POST memory). */
export const MEMORY_TYPES = ['fact', 'preference', 'decision', 'goal', 'note'] as const;

export type MemoryType = (typeof MEMORY_TYPES)[number];

/** Any case; what is missing or not in the list is a `note`. */
export function toMemoryType(text: string | undefined): MemoryType {
  const wanted = text?.trim().toLowerCase();
  return MEMORY_TYPES.find((type) => type === wanted) ?? 'note';
}

/** Who said it: the model in a tag, a caller of the API, or the extractor. */
export type MemoryOrigin = 'tag' | 'api' | 'fact';

/** Where a memory comes from, as far as that decides who may be shown it and what it may cause. */
export type MemoryMarks = {
  /** It derives from a call that stayed on the machine, and is shown in such calls only. */
  isLocalOnly: boolean;
  /**
   * It was written in a turn that held tool results, passages, context or a tainted memory; a turn
   * that knows it writes no global memory.
   */
  isTainted: boolean;
};

/** What an agent keeps beyond a session, as it is recalled. */
export type Memory = MemoryMarks & {
  id: string;
  /** As it was written; `keyNorm` is what makes it the same memory. */
  key: string;
  keyNorm: string;
  type: MemoryType;
  value: string;
  /** Shared by all agents of the workspace. */
  isGlobal: boolean;
  /** 0 to 1. */
  importance: number;
  origin: MemoryOrigin;
  /** The session of the last change; null when none was. */
  sessionId: string | null;
  updatedAt: Date;
  lastUsedAt: Date;
};

/** By normalised key, locale-free, so that the same memories make the same prompt everywhere. */
export function compareKeys(one: Memory, other: Memory): number {
  if (one.keyNorm !== other.keyNorm) return one.keyNorm < other.keyNorm ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}
