import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import { createBatchSize, embedDocument } from './embed-document.ts';
import type { EmbedTexts } from './embedding.ts';
import type { EmbeddingQueue } from './embedding-queue.ts';
import { toUnitVector } from './unit-vector.ts';

const LEASED = {
  workspaceId: 'ws_1',
  id: 'doc_1',
  sourceId: 'kns_1',
  lease: 'l',
  attempts: 1,
  paidAttempts: 1,
};
const CHUNKS = Array.from({ length: 100 }, (_, index) => ({ id: `c_${100 + index}`, text: 'x' }));
const { signal } = new AbortController();

/** Opens a document of 100 chunks for a model that times out with more than `max` at once. */
const open = (max: number) => {
  const calls: number[] = [];
  const saved = new Set<string>();
  const queue: EmbeddingQueue = {
    claim: async () => LEASED,
    nextChunks: async (_leased, { after, limit }) => ({
      chunks: CHUNKS.filter(({ id }) => id > after && !saved.has(id)).slice(0, limit),
      agentModels: [],
    }),
    save: async (_leased, { chunks }) => {
      for (const { id } of chunks) saved.add(id);
      return true;
    },
    finish: async () => {},
    release: async () => {},
  };
  const embed: EmbedTexts = async (_workspaceId, texts) => {
    calls.push(texts.length);
    if (texts.length > max) throw new ServiceError('DEADLINE_EXCEEDED', 'late');
    return { origin: 'local/e5', vectors: texts.map(() => toUnitVector([1, 0])) };
  };
  const batchSize = createBatchSize();
  const run = () => embedDocument(LEASED, { queue, embed, isLocal: true, batchSize }, signal);
  return { calls, saved, batchSize, run };
};

describe('a batch of chunks', () => {
  it('is halved after each timeout until the model is fast enough', async () => {
    const { calls, saved, run } = open(20);
    await expect(run()).rejects.toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
    await expect(run()).rejects.toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
    await expect(run()).rejects.toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
    expect(calls).toEqual([64, 32, 16, 32]);
    expect(saved.size).toBe(16);
  });

  it('grows again only after a quick call, and never shrinks below one chunk', () => {
    const { batchSize } = open(1);
    for (let time = 0; time < 9; time += 1) batchSize.onTimeout();
    expect(batchSize.current()).toBe(1);
    batchSize.onEmbedded(20_000);
    expect(batchSize.current()).toBe(1);
    batchSize.onEmbedded(1_000);
    expect(batchSize.current()).toBe(2);
  });
});
