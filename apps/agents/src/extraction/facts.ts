import { checkLimit, notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { ExtractedFact } from './read-extracted-facts.ts';

export type Fact = ExtractedFact & {
  id: string;
  source: string;
  createdAt: Date;
};

/** Fact to store; `id` is used only if the source has no fact with this category and key yet. */
export type FactDraft = ExtractedFact & { id: string };

export type FactBatch = {
  source: string;
  /** Facts to store, of which no two have the same category and key. */
  drafts: readonly FactDraft[];
  /**
   * Agent whose chat the facts were extracted from; nothing is stored if it was deleted. Undefined
   * for facts from other sources.
   */
  agentId?: string;
};

export type FactStore = {
  upsert: (workspaceId: string, batch: FactBatch) => Promise<void>;
  list: (
    workspaceId: string,
    wanted: { source?: string; category?: string; limit: number },
  ) => Promise<Fact[]>;
  find: (workspaceId: string, id: string) => Promise<Fact | undefined>;
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

export type Facts = ReturnType<typeof createFacts>;

export const createFacts = (store: FactStore) => ({
  /** Lists facts of a source and a category; an empty `source` or `category` matches all. */
  list: async (
    workspaceId: string,
    { source, category, limit }: { source: string; category: string; limit: number },
  ): Promise<Fact[]> => {
    checkLimit(limit);
    // PostgreSQL rejects U+0000 in a parameter. No stored name contains it, so the result is empty.
    if ([source, category].some((name) => name.includes('\0'))) return [];
    return store.list(workspaceId, {
      limit,
      source: source || undefined,
      category: category || undefined,
    });
  },
  get: async (workspaceId: string, id: string): Promise<Fact> => {
    const fact = await store.find(workspaceId, id);
    if (!fact) throw noSuchFact();
    return fact;
  },
  remove: async (workspaceId: string, id: string): Promise<void> => {
    if (!(await store.delete(workspaceId, id))) throw noSuchFact();
  },
});

const noSuchFact = (): ServiceError => notFound('There is no such fact in this workspace.');
