import type { UnitVector } from './unit-vector.ts';

/**
 * Vectors of texts, in their order; undefined for a text whose vector has no direction. `origin`
 * names the provider and the model that made them; only vectors of one origin and length are
 * compared.
 */
export type Embedding = { origin: string; vectors: readonly (UnitVector | undefined)[] };

export type EmbeddingOptions = { timeoutMs: number; signal?: AbortSignal };

/**
 * Embeds texts by one certified call for the workspace. Rejects if the call fails or its response
 * has no usable vector, so that the vector of a single text is never undefined.
 */
export type EmbedTexts = (
  workspaceId: string,
  texts: readonly string[],
  options: EmbeddingOptions,
) => Promise<Embedding>;

/** Maximum length of an embedded query, in UTF-16 units: embedding models take 8,000 tokens. */
export const EMBEDDED_QUERY_LENGTH_MAX = 8_000;
