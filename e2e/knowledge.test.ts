import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const SOURCES = '/v1/knowledge/sources';
const SOURCE = `${SOURCES}/{id}`;
const DOCUMENTS = `${SOURCE}/documents`;
const DOCUMENT = '/v1/knowledge/documents/{id}';
const SEARCH = '/v1/knowledge/search';
const LINKS = '/v1/agents/{id}/knowledge';
const LINK = `${LINKS}/{sourceId}`;

type Source = { id: string; name: string; agents: object[]; documentCount: number };
type Document = { id: string; status: string; title: string; mediaType: string };
type Passage = { chunkId: string; text: string; sha256: string; page: number | null };

describe.each(TRANSPORTS)('knowledge, services over %s', (transport) => {
  let api: DocumentedApi;

  beforeAll(async () => {
    api = await openDocumentedApi({ transport });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
  });

  const join: DocumentedApi['createClient'] = (scopes) => api.createClient(scopes);
  const call: DocumentedApi['call'] = (...asked) => api.call(...asked);
  const makeSource = async (client: HttpClient, name = 'Handbook'): Promise<Source> => {
    const answer = await call(client, `POST ${SOURCES}`, {}, { body: { name } });
    expect(answer.status).toBe(201);
    return (answer.json as { source: Source }).source;
  };
  const add = async (
    client: HttpClient,
    id: string,
    body: { title?: string; content: string },
  ): Promise<Document> => {
    const answer = await call(client, `POST ${DOCUMENTS}`, { id }, { body });
    expect(answer.status).toBe(201);
    return (answer.json as { document: Document }).document;
  };
  const search = async (client: HttpClient, body: object): Promise<Passage[]> => {
    const answer = await call(client, `POST ${SEARCH}`, {}, { body });
    expect(answer.status).toBe(200);
    return (answer.json as { passages: Passage[] }).passages;
  };

  it('has sources with unique names, listed newest first', async () => {
    const client = await join();
    const first = await makeSource(client);
    const second = await makeSource(client, 'Contracts');
    expect(first).toMatchObject({ name: 'Handbook', documentCount: 0, agents: [] });
    const list = await call(client, `GET ${SOURCES}`);
    expect(list.json).toMatchObject({ sources: [{ id: second.id }, { id: first.id }] });
    const taken = await call(client, `POST ${SOURCES}`, {}, { body: { name: ' Handbook ' } });
    expect([taken.status, taken.json]).toEqual([
      409,
      { error: expect.objectContaining({ code: 'name_taken', param: 'name' }) },
    ]);
    expect((await call(client, `DELETE ${SOURCE}`, first)).status).toBe(204);
    expect((await call(client, `GET ${SOURCE}`, first)).status).toBe(404);
    await makeSource(client);
  });

  it('is found with a hash that a client can recompute', async () => {
    const client = await join();
    const { id } = await makeSource(client);
    const content = 'Ünïcode 💶: the Rheinland plant stores its zirconium in hall four.';
    const { id: documentId } = await add(client, id, { title: 'Stock', content });
    const [passage, ...more] = await search(client, { query: 'Where is the zirconium stored?' });
    expect(passage).toMatchObject({ sourceId: id, source: 'Handbook', documentId, title: 'Stock' });
    expect([passage!.text, passage!.page, more]).toEqual([content, null, []]);
    expect(passage!.sha256).toBe(createHash('sha256').update(content, 'utf8').digest('hex'));
    expect(await search(client, { query: 'rheinlands', sourceIds: [id], limit: 1 })).toHaveLength(
      1,
    );
  });

  it.each([
    ['punctuation', '?!… --- \'"() & | <-> :* \\'],
    ['a query of another language', "' OR 1=1; DROP TABLE knowledge_chunk; --"],
    ['operators of tsquery', "zirconium & !'stored' <-> | (hall:*A"],
    ['one letter', 'x'],
    ['many words', 'lorem '.repeat(5_000)],
    ['scripts without spaces', '東京都の会議 การประชุม'],
    ['half a character', '\ud83d'],
  ])('returns no passages for %s', async (_name, query) => {
    const client = await join();
    const { id } = await makeSource(client);
    await add(client, id, { content: 'Invoices are paid within thirty days.' });
    expect(await search(client, { query })).toEqual([]);
  });

  it('accepts files, raw and in a form, and reports their type', async () => {
    const key = await api.keys.makeKey();
    const client = createHttpClient(key);
    const { id } = await makeSource(client);
    const upload = async (type: string, body: Uint8Array | string, more: object = {}) => {
      const headers = { authorization: `Bearer ${key.apiKey}`, 'content-type': type, ...more };
      const answer = await call(client, `POST ${DOCUMENTS}`, { id }, { headers, body });
      return answer.json;
    };
    const html = '<!doctype html><title>Price list</title><p>A gasket costs 4 euros.</p>';
    expect(await upload('text/html; charset=utf-8', html, { 'x-file-name': 'p.html' })).toEqual({
      document: expect.objectContaining({ title: 'Price list', mediaType: 'text/html' }),
    });
    const form = new FormData();
    form.set('file', new Blob(['# Terms\n\nGaskets are returned.']), 'terms.md');
    form.set('title', 'Returns');
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type')!;
    const formBytes = new Uint8Array(await encoded.arrayBuffer());
    expect(await upload(type, formBytes)).toMatchObject({
      document: { title: 'Returns', mediaType: 'text/markdown', status: 'ready' },
    });
    expect(await search(client, { query: 'gasket' })).toHaveLength(2);
    const documents = await call(client, `GET ${DOCUMENTS}`, { id });
    expect((documents.json as { documents: object[] }).documents).toHaveLength(2);
    for (const [bad, status, bytes] of [
      ['multipart/form-data; boundary=x', 400, '--y'],
      ['application/pdf', 415, 'no PDF at all'],
      ['image/png', 415, 'PNG'],
    ] as const) {
      const headers = { authorization: `Bearer ${key.apiKey}`, 'content-type': bad };
      const answer = await call(client, `POST ${DOCUMENTS}`, { id }, { headers, body: bytes });
      expect([bad, answer.status]).toEqual([bad, status]);
    }
  });

  it('returns 404 for another workspace', async () => {
    const owner = await join();
    const { id } = await makeSource(owner);
    const document = await add(owner, id, { content: 'The merger is called Nightingale.' });
    const stranger = await join();
    const body = { content: 'x' };
    for (const answer of [
      await call(stranger, `GET ${SOURCE}`, { id }),
      await call(stranger, `DELETE ${SOURCE}`, { id }),
      await call(stranger, `GET ${DOCUMENTS}`, { id }),
      await call(stranger, `POST ${DOCUMENTS}`, { id }, { body }),
      await call(stranger, `DELETE ${DOCUMENT}`, document),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect(await search(stranger, { query: 'Nightingale' })).toEqual([]);
    const named = { query: 'Nightingale', sourceIds: [id] };
    expect((await call(stranger, `POST ${SEARCH}`, {}, { body: named })).status).toBe(400);
    expect(await search(owner, named)).toHaveLength(1);
  });

  it('is read with knowledge:read and changed only with knowledge', async () => {
    const reader = await join(['knowledge:read']);
    expect((await call(reader, `GET ${SOURCES}`)).status).toBe(200);
    expect(await search(reader, { query: 'anything' })).toEqual([]);
    const id = 'kns_0000000000000000000000';
    const refused = await Promise.all([
      reader.send(SOURCES, { body: { name: 'Mine' } }),
      reader.send(`${SOURCES}/${id}`, { method: 'DELETE' }),
      reader.send(`${SOURCES}/${id}/documents`, { body: { content: 'x' } }),
      reader.send(`/v1/knowledge/documents/${id}`, { method: 'DELETE' }),
      (await join(['agents'])).send(SEARCH, { body: { query: 'anything' } }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  it('is linked to agents until either is deleted', async () => {
    const client = await join();
    const { id: sourceId } = await makeSource(client, 'Linked');
    const persona = { name: `Reader ${transport}`, systemPrompt: 'You read.' };
    const made = await client.send('/v1/agents', { body: persona });
    const { id } = (made.json as { agent: { id: string } }).agent;
    const body = { sourceId };
    for (const _time of [1, 2]) {
      const linked = await call(client, `POST ${LINKS}`, { id }, { body });
      expect([linked.status, linked.json]).toEqual([200, { agentId: id, sourceId }]);
    }
    const shown = await call(client, `GET ${SOURCE}`, { id: sourceId });
    expect((shown.json as { source: Source }).source.agents).toEqual([{ id, name: persona.name }]);
    expect((await call(client, `DELETE ${LINK}`, { id, sourceId })).status).toBe(204);
    await call(client, `POST ${LINKS}`, { id }, { body });
    expect((await call(client, `DELETE ${SOURCE}`, { id: sourceId })).status).toBe(204);
    expect((await call(client, `POST ${LINKS}`, { id }, { body })).status).toBe(404);
  });

  it('is not found after its document is deleted', async () => {
    const client = await join();
    const { id } = await makeSource(client, 'Forgotten');
    const document = await add(client, id, { content: 'The launch code is Quicksilver.' });
    expect(await search(client, { query: 'Quicksilver' })).toHaveLength(1);
    expect((await call(client, `DELETE ${DOCUMENT}`, document)).status).toBe(204);
    expect(await search(client, { query: 'Quicksilver' })).toEqual([]);
    expect((await call(client, `DELETE ${DOCUMENT}`, document)).status).toBe(404);
  });

  it('returns 202 for a large document, which is found once it is indexed', async () => {
    const client = await join();
    const { id } = await makeSource(client, 'Large');
    const content = `${'All was quiet in the harbour. '.repeat(150_000)}\n\nThe walrus came.`;
    const answer = await call(client, `POST ${DOCUMENTS}`, { id }, { body: { content } });
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({ document: { status: 'processing' } });
    await eventually(async () => {
      const { json } = await call(client, `GET ${DOCUMENTS}`, { id });
      return (json as { documents: Document[] }).documents[0]?.status === 'ready';
    }, 'a document that is read');
    const [passage] = await search(client, { query: 'When did the walrus come?' });
    expect(passage!.text).toContain('The walrus came.');
  });

  it.each([
    ['an empty document', { content: ' ' }, 400],
    ['a document without content', { title: 'x' }, 400],
    ['a title with NUL', { title: '\0', content: 'x' }, 400],
  ])('refuses %s', async (_name, body, status) => {
    const client = await join();
    const { id } = await makeSource(client);
    expect((await call(client, `POST ${DOCUMENTS}`, { id }, { body })).status).toBe(status);
  });
});
