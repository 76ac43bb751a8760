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
   * True if the memory was written in a gateway call, in a turn whose prompt contained tool
   * results, passages or context, or in a turn with a tainted session or tainted memories. A turn
   * with this memory writes no global memory.
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

export const MEMORY_KEY_LENGTH_MAX = 128;

/**
 * Normalizes a key: folds compatibility forms and case, and replaces each run of characters other
 * than letters, marks and digits by `_`. Returns an empty text if nothing remains or the result is
 * too long, because a truncated key could overwrite another memory.
 */
export function toKeyNorm(key: string): string {
  if (NORMALIZED_KEY.test(key)) return key;
  const words = foldText(key).replaceAll(BETWEEN_WORDS, '_').replaceAll(/^_|_$/g, '');
  return words.length > MEMORY_KEY_LENGTH_MAX ? '' : words;
}

/** Matches most normalized keys; a fast path, because most keys are already normalized. */
const NORMALIZED_KEY = /^(?=.{1,128}$)[a-z0-9]+(?:_[a-z0-9]+)*$/;

const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu;

/**
 * Folds case and compatibility forms. Normalizes twice, because lower-casing may decompose
 * characters.
 */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().normalize('NFKC');
