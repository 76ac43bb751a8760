import type { Complete } from '@witan/contracts';
import { staysLocal } from '../../agent/agent.ts';
import type { SimilaritySearch } from '../retrieve.ts';
import { createBatchSize } from '../similarity/embed-document.ts';
import type { EmbeddingQueue, LeasedEmbedding } from '../similarity/embedding-queue.ts';
import { createFindSimilar } from '../similarity/find-similar.ts';
import type { FindNearest } from '../similarity/find-similar.ts';
import type { StaleDocuments } from '../similarity/reset-stale.ts';
import { createEmbedTexts } from './embed-texts.ts';
import { openEmbeddingWorker } from './open-embedding-worker.ts';

type SimilarityDeps = {
  complete: Complete;
  /** Model address of the embedding model; undefined if there is none. */
  model: string | undefined;
  vectorsOf: (model: string) => {
    queue: EmbeddingQueue;
    stale: StaleDocuments;
    findNearest: FindNearest;
  };
  report: {
    onEmbedded: () => void;
    onGivenUp: (leased: LeasedEmbedding) => void;
    onReset: (documents: number) => void;
    onFailure: (error: unknown, leased?: LeasedEmbedding) => void;
    onQueryFailure: (error: unknown, workspaceId: string) => void;
  };
  newId: (prefix: string) => string;
  pollIntervalMs: number | undefined;
  staleDelayMs: number | undefined;
};

/**
 * Opens the search by similarity, and the worker that embeds documents for it until `stop`. Returns
 * undefined, and reads no table, if there is no embedding model.
 */
export const openSimilarity = ({
  complete,
  model,
  vectorsOf,
  report: { onQueryFailure, ...report },
  newId,
  pollIntervalMs,
  staleDelayMs,
}: SimilarityDeps): (SimilaritySearch & { stop: () => Promise<void> }) | undefined => {
  if (model === undefined) return undefined;
  const { queue, stale, findNearest } = vectorsOf(model);
  const embed = createEmbedTexts({ complete, model, newId });
  const isLocal = staysLocal({ model });
  const worker = openEmbeddingWorker({
    ...report,
    queue,
    stale,
    embed,
    isLocal,
    batchSize: createBatchSize(),
    pollIntervalMs,
    staleDelayMs,
  });
  const findSimilar = createFindSimilar({ embed, findNearest, onFailure: onQueryFailure });
  return { findSimilar, isLocal, stop: worker.stop };
};
