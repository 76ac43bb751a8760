import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KnowledgeService } from '@witan/contracts/services';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client as PgClient } from 'pg';
import { addDocument } from './add-document.ts';
import { openFakeGateway } from './fake-gateway.ts';
import { openAgents, optionsFor } from './open-agents.ts';

const MODEL = 'text-embedding-test';
const BATCH = 64;
/** Numbered sentences of about 200 chunks, more than three batches. */
const TEXT = Array.from({ length: 8_000 }, (_, index) => `Sentence ${index} is about walrus.`).join(
  ' ',
);

describe('a document that is being embedded when its replica dies', () => {
  let database: TestDatabase;
  let admin: PgClient;
  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    admin = new PgClient({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await database[Symbol.asyncDispose]();
  });

  it('is finished by another replica, which repeats one batch only', async () => {
    await using replicas = new AsyncDisposableStack();
    const embedded: string[][] = [];
    const hanging = Promise.withResolvers<void>();
    const open = async (name: string, beforeAnswer: (batches: number) => Promise<void>) => {
      let batches = 0;
      const gateway = await openFakeGateway(
        async () => ({}),
        async ({ texts }) => {
          embedded.push(texts.map((text) => `${name}:${text}`));
          batches += 1;
          await beforeAnswer(batches);
          return texts.map((_, index) => [1, index]);
        },
      );
      replicas.use(gateway);
      const service = await openAgents(database.urls['agents']!, {
        connect: gateway.connect,
        config: { embeddingModel: MODEL },
        documentPollIntervalMs: 20,
      });
      return replicas.use(service);
    };
    // The call for the second batch of the first replica hangs, as if the process were dead.
    const first = await open('a', async (batches) => {
      if (batches === 2) await hanging.promise;
    });
    const knowledge = first.clientOf(KnowledgeService);
    const { source } = await knowledge.createSource({ name: 'Diary' }, optionsFor('ws_1'));
    const draft = { sourceId: source!.id, text: TEXT };
    const { chunkCount } = await addDocument(knowledge, 'ws_1', draft);
    expect(chunkCount).toBeGreaterThan(2 * BATCH);
    await eventually(() => embedded.length === 2, 'the second batch');
    await admin.query(`UPDATE agents.knowledge_document SET embedding_due_at = now()`);
    await open('b', async () => {});
    const read = async () => {
      const { rows } = await admin.query<{ model: string | null; vectors: number }>(
        `SELECT embedded_model AS model,
           (SELECT count(*)::int FROM agents.knowledge_vector) AS vectors
         FROM agents.knowledge_document`,
      );
      return rows[0]!;
    };
    await eventually(async () => (await read()).model === MODEL, 'the end of the embedding');
    hanging.resolve();
    expect((await read()).vectors).toBe(chunkCount);
    const [batch1, batch2, ...batchesOfOther] = embedded;
    const toTexts = (texts: readonly string[]) => texts.map((text) => text.slice(2));
    expect(batch1).toHaveLength(BATCH);
    expect(toTexts(batchesOfOther[0]!)).toEqual(toTexts(batch2!));
    const distinct = new Set(toTexts(embedded.flat()));
    expect(distinct.size).toBe(chunkCount);
    expect(embedded.flat()).toHaveLength(chunkCount + BATCH);
  });
});
