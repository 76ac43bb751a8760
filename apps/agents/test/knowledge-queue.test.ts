import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, newId } from '@witan/service-kit';
import type { LeasedDocument } from '../src/knowledge/document.ts';
import type { DocumentIndex } from '../src/knowledge/index-document.ts';
import { openStorage } from '../src/open-storage.ts';
import { SECRETS_KEY } from './open-agents.ts';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';

const LEASE_MS = 60_000;
const NEVER_ABORTED = new AbortController().signal;
const DRAFT = { mediaType: 'text/plain', pageCount: null, chunkCount: 0, size: 1 };

type Owner = { workspaceId: string; sourceId: string };

describe('the document queue', () => {
  let database: TestStorage;
  beforeAll(async () => {
    database = await openTestStorage();
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const createSource = async (workspaceId = newId('ws')): Promise<Owner> => {
    const source = { id: newId('kns'), name: newId('x'), description: '', createdAt: new Date() };
    await database.storage.knowledge.insertSource(workspaceId, source, 100);
    return { workspaceId, sourceId: source.id };
  };
  const upload = async ({ workspaceId, sourceId }: Owner, title = 'x'): Promise<string> => {
    const document = { ...DRAFT, id: newId('knd'), sourceId, title, createdAt: new Date() };
    const storedUpload = {
      givenTitle: title,
      fileName: '',
      mediaType: '',
      content: Buffer.from('x'),
    };
    await database.storage.documents.insertQueued(workspaceId, document, storedUpload);
    return document.id;
  };
  const claim = (): Promise<LeasedDocument | undefined> =>
    database.storage.documentQueue.claim(LEASE_MS);
  /**
   * Leases all documents of the queue that are not leased and marks them as failed, so that the
   * next test starts with an empty queue.
   */
  const drain = async (): Promise<LeasedDocument[]> => {
    const claimed: LeasedDocument[] = [];
    for (let next = await claim(); next; next = await claim()) claimed.push(next);
    for (const leased of claimed) await database.storage.documentQueue.fail(leased, 'drained');
    return claimed;
  };
  /**
   * Returns a document's index with one chunk per batch; `onBatch` is called before each batch is
   * written.
   */
  const indexOf = (batches: number, onBatch: (batch: number) => void): DocumentIndex => ({
    title: 'Read',
    mediaType: 'text/plain',
    pageCount: null,
    chunkCount: batches,
    batches: (function* () {
      for (let batch = 0; batch < batches; batch += 1) {
        onBatch(batch);
        yield [{ id: newId('knc'), page: null, text: `walrus ${batch}`, lexemes: ['walru*'] }];
      }
    })(),
    totals: () => ({ wordCount: batches * 2, bases: new Map([['walru*', [batches, 0, 0]]]) }),
  });
  const countOf = async (sql: string, params: unknown[]): Promise<number> => {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${sql}`,
      params,
    );
    return row!.count;
  };

  it('serves workspaces round-robin', async () => {
    const [longQueue, mediumQueue, shortQueue] = [
      await createSource(),
      await createSource(),
      await createSource(),
    ];
    for (let number = 1; number <= 6; number += 1) await upload(longQueue, `many ${number}`);
    await upload(mediumQueue, 'some 1');
    await upload(mediumQueue, 'some 2');
    const first = await claim();
    await upload(shortQueue, 'one 1');
    const order = [first!, ...(await drain())].map(({ givenTitle }) => givenTitle);
    expect(order).toEqual([
      'many 1',
      'some 1',
      'one 1',
      'many 2',
      'some 2',
      'many 3',
      'many 4',
      'many 5',
      'many 6',
    ]);
    await database.storage.documentQueue.fail(first!, 'drained');
  });

  it('serves a returning workspace after those that waited longer', async () => {
    const [busySource, waitingSource] = [await createSource(), await createSource()];
    for (let number = 1; number <= 3; number += 1) await upload(waitingSource, `waiting ${number}`);
    const order: string[] = [];
    for (let number = 1; number <= 3; number += 1) {
      await upload(busySource, `busy ${number}`);
      for (const _turn of [1, 2]) {
        const next = await claim();
        order.push(next!.givenTitle.split(' ')[0]!);
        await database.storage.documentQueue.fail(next!, 'drained');
      }
    }
    expect(order.filter((name) => name === 'busy')).toHaveLength(3);
    expect(order.slice(0, 2).toSorted()).toEqual(['busy', 'waiting']);
    expect(order.slice(2, 4).toSorted()).toEqual(['busy', 'waiting']);
  });

  it('does not lease or finish documents of a deleted source', async () => {
    const [deletedSource, remainingSource] = [await createSource(), await createSource()];
    await upload(deletedSource);
    expect(
      await database.storage.knowledge.deleteSource(
        deletedSource.workspaceId,
        deletedSource.sourceId,
      ),
    ).toBe(true);
    expect(await claim()).toBeUndefined();
    await upload(remainingSource);
    const leased = await claim();
    await database.storage.knowledge.deleteSource(
      remainingSource.workspaceId,
      remainingSource.sourceId,
    );
    const finished = database.storage.documentQueue.finish(
      leased!,
      indexOf(2, () => undefined),
      NEVER_ABORTED,
    );
    expect(await finished).toBe(false);
    expect(await countOf('knowledge_chunk WHERE document_id = $1', [leased!.id])).toBe(0);
    while (await database.storage.purgeKnowledge());
    expect(await countOf('knowledge_upload', [])).toBe(0);
  });

  it('allows deletion during a write without errors and without leftover rows', async () => {
    const owner = await createSource();
    const id = await upload(owner);
    const leased = await claim();
    const { knowledge, documentQueue } = database.storage;
    let deleting: Promise<boolean> | undefined;
    const pendingFinish = documentQueue.finish(
      leased!,
      indexOf(200, (batch) => {
        if (batch === 2) deleting = knowledge.deleteDocument(owner.workspaceId, id);
      }),
      NEVER_ABORTED,
    );
    await expect(pendingFinish).resolves.toBe(true);
    await expect(deleting).resolves.toBe(true);
    expect(await countOf('knowledge_chunk WHERE source_id = $1', [owner.sourceId])).toBe(0);
    expect(await countOf("knowledge_base WHERE base = 'walru*'", [])).toBe(0);
    const [source] = await database.query(
      'SELECT document_count, chunk_count FROM knowledge_source WHERE id = $1',
      [owner.sourceId],
    );
    expect(source).toEqual({ document_count: 0, chunk_count: 0 });
  });

  it('limits the waiting bytes of a workspace', async () => {
    const [owner, other] = [await createSource(), await createSource()];
    await upload(owner);
    const log = createLog({ service: 'agents', level: 'silent' });
    const deps = { newId, clock: () => new Date(), secretsKey: SECRETS_KEY, waitingBytesMax: 2 };
    await using storage = await openStorage(database.databaseUrl, log, deps);
    const insert = async ({ workspaceId, sourceId }: Owner): Promise<void> => {
      const document = { ...DRAFT, id: newId('knd'), sourceId, title: 'x', createdAt: new Date() };
      const storedUpload = {
        givenTitle: 'x',
        fileName: '',
        mediaType: '',
        content: Buffer.from('x'),
      };
      await storage.documents.insertQueued(workspaceId, document, storedUpload);
    };
    await insert(owner);
    const refusal = {
      reason: 'RATE_LIMITED',
      fields: { code: 'too_many_uploads', retryAfter: '30' },
    };
    await expect(insert(owner)).rejects.toMatchObject(refusal);
    await insert(other);
    await drain();
    await insert(owner);
    await drain();
  });

  it('does not write a deleted document', async () => {
    const owner = await createSource();
    const id = await upload(owner);
    const leased = await claim();
    const { knowledge, documentQueue } = database.storage;
    expect(await knowledge.deleteDocument(owner.workspaceId, id)).toBe(true);
    const index = indexOf(2, () => undefined);
    await expect(documentQueue.finish(leased!, index, NEVER_ABORTED)).resolves.toBe(false);
    await documentQueue.fail(leased!, 'too late');
    expect(await countOf('knowledge_chunk WHERE source_id = $1', [owner.sourceId])).toBe(0);
  });
});
