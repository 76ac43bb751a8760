import type { UnitVector } from './unit-vector.ts';

/**
 * Vectors of texts, in their order. `origin` names the provider and the model that made them; only
 * vectors of one origin and length can be compared.
 */
export type Embedding = { origin: string; vectors: readonly UnitVector[] };

export type EmbeddingOptions = { timeoutMs: number; signal?: AbortSignal };

/**
 * Embeds texts by one certified call for the workspace. Rejects if the call fails or its response
 * has not one vector of the same length for every text.
 */
export type EmbedTexts = (
  workspaceId: string,
  texts: readonly string[],
  options: EmbeddingOptions,
) => Promise<Embedding>;

/** Maximum length of an embedded query, in UTF-16 units: embedding models take 8,000 tokens. */
export const EMBEDDED_QUERY_LENGTH_MAX = 8_000;
