import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceError, unavailable } from '@witan/contracts';
import { KnowledgeService } from '@witan/contracts/services';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client as PgClient } from 'pg';
import { addDocument } from './add-document.ts';
import { openFakeGateway } from './fake-gateway.ts';
import type { EmbeddingCall } from './fake-gateway.ts';
import { openAgents, optionsFor } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

const MODEL = 'text-embedding-test';
const WORKSPACE = 'ws_1';
const ATTEMPTS_MAX = 10;
const BATCH = 64;
/** Numbered sentences of about 200 chunks, more than three batches. */
const LONG_TEXT = Array.from(
  { length: 8_000 },
  (_, index) => `Sentence ${index} is about walrus.`,
).join(' ');

const makeVectors = ({ texts }: EmbeddingCall): number[][] => texts.map((_, index) => [1, index]);

describe('embedding of documents', () => {
  let database: TestDatabase;
  let admin: PgClient;
  let opened = new AsyncDisposableStack();

  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    admin = new PgClient({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query('SET search_path = agents');
  });
  afterEach(async () => {
    await close();
    await admin.query('DELETE FROM knowledge_source');
    await admin.query('DELETE FROM agent');
  });
  afterAll(async () => {
    await admin.end();
    await database[Symbol.asyncDispose]();
  });

  const close = async (): Promise<void> => {
    await opened.disposeAsync();
    opened = new AsyncDisposableStack();
  };
  const open = async (
    embed: (call: EmbeddingCall) => Promise<number[][]>,
    embeddingModel = MODEL,
  ): Promise<{ service: TestAgents; embeddings: EmbeddingCall[] }> => {
    const gateway = opened.use(await openFakeGateway(async () => ({}), embed));
    const service = await openAgents(database.urls['agents']!, {
      connect: gateway.connect,
      config: { embeddingModel },
      documentPollIntervalMs: 20,
    });
    opened.use(service);
    return { service, embeddings: gateway.embeddings };
  };
  const add = async (service: TestAgents, text: string) => {
    const knowledge = service.clientOf(KnowledgeService);
    const { source } = await knowledge.createSource(
      { name: text.slice(0, 40) },
      optionsFor(WORKSPACE),
    );
    const sourceId = source!.id;
    const { id, chunkCount } = await addDocument(knowledge, WORKSPACE, { sourceId, text });
    return { id, chunkCount, sourceId };
  };
  const read = async (id: string) => {
    const { rows } = await admin.query<{
      model: string | null;
      hasFailed: boolean;
      isLeased: boolean;
      isDue: boolean;
      paidAttempts: number;
      vectors: number;
    }>(
      `SELECT embedded_model AS model, embedding_failed AS "hasFailed",
         embedding_lease IS NOT NULL AS "isLeased", embedding_due_at <= now() AS "isDue",
         embedding_paid_attempts AS "paidAttempts",
         (SELECT count(*)::int FROM knowledge_vector AS vector
          JOIN knowledge_chunk AS chunk ON chunk.id = vector.chunk_id
          WHERE chunk.document_id = document.id) AS vectors
       FROM knowledge_document AS document WHERE id = $1`,
      [id],
    );
    return rows[0]!;
  };
  const awaitEmbedded = (id: string, model = MODEL): Promise<unknown> =>
    eventually(async () => (await read(id)).model === model, `the end of ${id}`);
  const awaitAttempt = (id: string, paidAttempts: number): Promise<unknown> =>
    eventually(async () => {
      const state = await read(id);
      return state.paidAttempts === paidAttempts && !state.isLeased && !state.isDue;
    }, `the failure of attempt ${paidAttempts}`);
  /** Closes all replicas, because they pause, and makes the document due with these attempts. */
  const skipTo = async (id: string, paidAttempts: number): Promise<void> => {
    await close();
    await admin.query(
      `UPDATE knowledge_document SET embedding_due_at = now(), embedding_paid_attempts = $2
       WHERE id = $1`,
      [id, paidAttempts],
    );
  };
  const search = async (service: TestAgents, query: string): Promise<number> => {
    const knowledge = service.clientOf(KnowledgeService);
    return (await knowledge.search({ query }, optionsFor(WORKSPACE))).passages.length;
  };

  it.each(['a link to a local-only agent', 'a linked agent that becomes local-only'])(
    'stops for %s before the next call',
    async (name) => {
      const isLinkedBefore = name.startsWith('a linked');
      const started = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const { service, embeddings } = await open(async (call) => {
        started.resolve();
        await released.promise;
        return makeVectors(call);
      });
      const options = optionsFor(WORKSPACE);
      const knowledge = service.clientOf(KnowledgeService);
      const { source } = await knowledge.createSource({ name: 'Diary' }, options);
      const sourceId = source!.id;
      const model = isLinkedBefore ? 'gpt-test' : 'service-sensitive';
      const newAgent = { name: 'Vault', systemPrompt: 'You advise.', model };
      const { agent } = await service.agents.createAgent(newAgent, options);
      const link = () => knowledge.linkSource({ agentId: agent!.id, sourceId }, options);
      if (isLinkedBefore) await link();
      const draft = { sourceId, text: LONG_TEXT };
      const { id, chunkCount } = await addDocument(knowledge, WORKSPACE, draft);
      expect(chunkCount).toBeGreaterThan(2 * BATCH);
      await started.promise;
      if (isLinkedBefore) {
        await admin.query(`UPDATE agent SET model = 'service-sensitive'`);
      } else {
        await link();
      }
      released.resolve();
      await eventually(async () => !(await read(id)).isLeased, 'the end of the lease');
      expect(embeddings.map(({ texts }) => texts.length)).toEqual([BATCH]);
      expect(await read(id)).toMatchObject({ model: null, isDue: false, vectors: BATCH });
    },
  );

  it('leaves the documents of a replica with another model, as during a rollout', async () => {
    const embed = async (call: EmbeddingCall) => makeVectors(call);
    const first = await open(embed);
    const { id } = await add(first.service, 'The walrus sleeps.');
    await awaitEmbedded(id);
    await close();
    const second = await open(embed, 'another-model');
    const other = await add(second.service, 'The seal swims.');
    await awaitEmbedded(other.id, 'another-model');
    const third = await open(embed);
    const last = await add(third.service, 'The whale sings.');
    await eventually(async () => (await read(last.id)).model !== null, 'its embedding');
    expect(await read(id)).toMatchObject({ model: MODEL });
    expect(await read(other.id)).toMatchObject({ model: 'another-model' });
    expect(second.embeddings.length + third.embeddings.length).toBe(2);
  });

  it('stores the usable vectors of a batch and skips chunks without one', async () => {
    const { service, embeddings } = await open(async (call) =>
      makeVectors(call).map((vector, index) => (index === 1 ? [0, 0] : vector)),
    );
    const { id, chunkCount } = await add(service, LONG_TEXT);
    await awaitEmbedded(id);
    const batches = Math.ceil(chunkCount / BATCH);
    expect(embeddings).toHaveLength(batches);
    expect(await read(id)).toMatchObject({ hasFailed: false, vectors: chunkCount - batches });
  });

  it.each<[string, (call: EmbeddingCall) => Promise<number[][]>]>([
    ['responses without a usable vector', async ({ texts }) => texts.map(() => [0, 0])],
    [
      'certified failures',
      async () => {
        const fields = { proof: 'pf_1' };
        throw new ServiceError('PROVIDER_INVALID_ANSWER', 'No vectors.', { fields });
      },
    ],
  ])('ends after a limited number of %s', async (_name, embed) => {
    const first = await open(embed);
    const { id } = await add(first.service, 'The walrus sleeps.');
    await awaitAttempt(id, 1);
    await skipTo(id, ATTEMPTS_MAX - 1);
    const second = await open(embed);
    await awaitAttempt(id, ATTEMPTS_MAX);
    expect(second.embeddings).toHaveLength(1);
    await skipTo(id, ATTEMPTS_MAX);
    const { service, embeddings } = await open(embed);
    await awaitEmbedded(id);
    expect(await read(id)).toMatchObject({ hasFailed: true, vectors: 0 });
    expect(embeddings).toEqual([]);
    expect(await search(service, 'walrus')).toBe(1);
  });

  it('counts a call that a stopped replica ended', async () => {
    const started = Promise.withResolvers<void>();
    const { service } = await open(async () => {
      started.resolve();
      return await new Promise<never>(() => {});
    });
    const { id } = await add(service, 'The walrus sleeps.');
    await started.promise;
    await close();
    expect(await read(id)).toMatchObject({ paidAttempts: 1, isLeased: false, isDue: true });
  });

  it('repeats calls that are not charged without a limit', async () => {
    const { service } = await open(async () => {
      throw unavailable('The provider is away.');
    });
    const { id } = await add(service, 'The walrus sleeps.');
    await awaitAttempt(id, 0);
    await skipTo(id, ATTEMPTS_MAX - 1);
    await open(async () => {
      throw new ServiceError('INSUFFICIENT_QUOTA', 'No tokens are left.');
    });
    await awaitAttempt(id, ATTEMPTS_MAX - 1);
    await skipTo(id, ATTEMPTS_MAX - 1);
    await open(async (call) => makeVectors(call));
    await awaitEmbedded(id);
    expect(await read(id)).toMatchObject({ hasFailed: false, vectors: 1 });
  });
});
