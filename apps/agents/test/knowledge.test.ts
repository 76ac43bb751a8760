import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client as PgClient } from 'pg';
import { addDocument as add } from './add-document.ts';
import { optionsFor, createAgent, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

type Knowledge = Client<typeof KnowledgeService>;

describe('knowledge', () => {
  let database: TestDatabase;
  let service: TestAgents;
  let knowledge: Knowledge;
  let admin: PgClient;

  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    service = await openAgents(database.urls['agents']!);
    knowledge = service.clientOf(KnowledgeService);
    admin = new PgClient({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await service[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const createSource = async (workspaceId: string, name = 'Handbook'): Promise<string> => {
    const { source } = await knowledge.createSource({ name }, optionsFor(workspaceId));
    return source!.id;
  };
  const count = async (table: string): Promise<number> => {
    const { rows } = await admin.query(`SELECT count(*)::int AS count FROM agents.${table}`);
    return rows[0].count as number;
  };
  const search = async (workspaceId: string, query: string, sourceIds: string[] = []) => {
    const { passages } = await knowledge.search({ query, sourceIds }, optionsFor(workspaceId));
    return passages;
  };

  it('finds a document as soon as its creation has returned', async () => {
    const sourceId = await createSource('ws_find');
    const text = 'Employees may carry over five days of vacation.';
    const document = await add(knowledge, 'ws_find', { sourceId, title: 'Leave', text });
    expect(document).toMatchObject({ status: 'ready', title: 'Leave', chunkCount: 1, sourceId });
    const [passage] = await search('ws_find', 'How many vacations can an employee carry over?');
    expect(passage).toMatchObject({
      sourceId,
      source: 'Handbook',
      documentId: document.id,
      title: 'Leave',
      text,
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect(passage!.page).toBeUndefined();
  });

  it('never finds documents of another workspace', async () => {
    const sourceId = await createSource('ws_secret');
    await add(knowledge, 'ws_secret', { sourceId, text: 'The merger is called Nightingale.' });
    expect(await search('ws_other', 'Nightingale merger')).toEqual([]);
    const foreignSearch = search('ws_other', 'Nightingale merger', [sourceId]);
    await expect(foreignSearch).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    const foreignAddition = add(knowledge, 'ws_other', { sourceId, text: 'mine' });
    await expect(foreignAddition).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('deletes the chunks and words of a document, and all rows of a source', async () => {
    const sourceId = await createSource('ws_forget');
    const before = {
      entries: await count('knowledge_entry'),
      lexemes: await count('knowledge_base'),
    };
    const remaining = await add(knowledge, 'ws_forget', {
      sourceId,
      text: 'Gearbox oil is changed.',
    });
    const words = await count('knowledge_base');
    const document = await add(knowledge, 'ws_forget', {
      sourceId,
      text: 'Gearbox seals are checked.',
    });
    await knowledge.deleteDocument({ id: document.id }, optionsFor('ws_forget'));
    expect((await search('ws_forget', 'gearbox')).map((item) => item.documentId)).toEqual([
      remaining.id,
    ]);
    expect(await count('knowledge_base')).toBe(words);
    const secondDeletion = knowledge.deleteDocument({ id: document.id }, optionsFor('ws_forget'));
    await expect(secondDeletion).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await knowledge.deleteSource({ id: sourceId }, optionsFor('ws_forget'));
    expect(await search('ws_forget', 'gearbox')).toEqual([]);
    await eventually(async () => {
      const entries = await count('knowledge_entry');
      return entries === before.entries && (await count('knowledge_base')) === before.lexemes;
    }, 'all of it is deleted');
    expect(await createSource('ws_forget')).not.toBe(sourceId);
  });

  it('links sources to agents, idempotently', async () => {
    const sourceId = await createSource('ws_link');
    const agentId = await createAgent(service, 'ws_link');
    const ends = { agentId, sourceId };
    await knowledge.linkSource(ends, optionsFor('ws_link'));
    await knowledge.linkSource(ends, optionsFor('ws_link'));
    const { source } = await knowledge.getSource({ id: sourceId }, optionsFor('ws_link'));
    expect(source!.agents).toEqual([expect.objectContaining({ id: agentId, name: 'Ann' })]);
    const foreign = knowledge.linkSource(ends, optionsFor('ws_other'));
    await expect(foreign).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await knowledge.unlinkSource(ends, optionsFor('ws_link'));
    const after = await knowledge.getSource({ id: sourceId }, optionsFor('ws_link'));
    expect(after.source!.agents).toEqual([]);
  });

  it('reads a large document asynchronously', async () => {
    const sourceId = await createSource('ws_large');
    const text = `${'Nothing of note happened on this day.\n\n'.repeat(30_000)}The zebra escaped.`;
    const document = await add(knowledge, 'ws_large', { sourceId, text });
    expect(document).toMatchObject({ status: 'processing', chunkCount: 0 });
    await eventually(async () => {
      const page = await knowledge.listDocuments({ sourceId, limit: 10 }, optionsFor('ws_large'));
      return page.documents[0]!.id === document.id && page.documents[0]!.status === 'ready';
    }, 'the document is read');
    const [passage] = await search('ws_large', 'zebra');
    expect(passage!.text).toContain('The zebra escaped.');
    expect(await count('knowledge_upload')).toBe(0);
  });
});
