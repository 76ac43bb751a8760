import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const SOURCES_PATH = '/v1/knowledge/sources';
const SOURCE_PATH = `${SOURCES_PATH}/{id}`;
const DOCUMENTS_PATH = `${SOURCE_PATH}/documents`;
const DOCUMENT_PATH = '/v1/knowledge/documents/{id}';
const SEARCH_PATH = '/v1/knowledge/search';
const LINKS_PATH = '/v1/agents/{id}/knowledge';
const LINK_PATH = `${LINKS_PATH}/{sourceId}`;

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

  const createClient: DocumentedApi['createClient'] = (scopes) => api.createClient(scopes);
  const call: DocumentedApi['call'] = (...args) => api.call(...args);
  const createSource = async (client: HttpClient, name = 'Handbook'): Promise<Source> => {
    const answer = await call(client, `POST ${SOURCES_PATH}`, {}, { body: { name } });
    expect(answer.status).toBe(201);
    return (answer.json as { source: Source }).source;
  };
  const addDocument = async (
    client: HttpClient,
    id: string,
    body: { title?: string; content: string },
  ): Promise<Document> => {
    const answer = await call(client, `POST ${DOCUMENTS_PATH}`, { id }, { body });
    expect(answer.status).toBe(201);
    return (answer.json as { document: Document }).document;
  };
  const search = async (client: HttpClient, body: object): Promise<Passage[]> => {
    const answer = await call(client, `POST ${SEARCH_PATH}`, {}, { body });
    expect(answer.status).toBe(200);
    return (answer.json as { passages: Passage[] }).passages;
  };

  it('has sources with unique names, listed newest first', async () => {
    const client = await createClient();
    const first = await createSource(client);
    const second = await createSource(client, 'Contracts');
    expect(first).toMatchObject({ name: 'Handbook', documentCount: 0, agents: [] });
    const list = await call(client, `GET ${SOURCES_PATH}`);
    expect(list.json).toMatchObject({ sources: [{ id: second.id }, { id: first.id }] });
    const conflict = await call(
      client,
      `POST ${SOURCES_PATH}`,
      {},
      { body: { name: ' Handbook ' } },
    );
    expect([conflict.status, conflict.json]).toEqual([
      409,
      { error: expect.objectContaining({ code: 'name_taken', param: 'name' }) },
    ]);
    expect((await call(client, `DELETE ${SOURCE_PATH}`, first)).status).toBe(204);
    expect((await call(client, `GET ${SOURCE_PATH}`, first)).status).toBe(404);
    await createSource(client);
  });

  it('is found with a hash that a client can recompute', async () => {
    const client = await createClient();
    const { id } = await createSource(client);
    const content = 'Ünïcode 💶: the Rheinland plant stores its zirconium in hall four.';
    const { id: documentId } = await addDocument(client, id, { title: 'Stock', content });
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
    ['a lone surrogate', '\ud83d'],
  ])('returns no passages for %s', async (_name, query) => {
    const client = await createClient();
    const { id } = await createSource(client);
    await addDocument(client, id, { content: 'Invoices are paid within thirty days.' });
    expect(await search(client, { query })).toEqual([]);
  });

  it('accepts files, raw and in a form, and reports their type', async () => {
    const key = await api.keys.makeKey();
    const client = createHttpClient(key);
    const { id } = await createSource(client);
    const upload = async (type: string, body: Uint8Array | string, more: object = {}) => {
      const headers = { authorization: `Bearer ${key.apiKey}`, 'content-type': type, ...more };
      const answer = await call(client, `POST ${DOCUMENTS_PATH}`, { id }, { headers, body });
      return answer.json;
    };
    const html = '<!doctype html><title>Price list</title><p>A gasket costs 4 euros.</p>';
    expect(await upload('text/html; charset=utf-8', html, { 'x-file-name': 'p.html' })).toEqual({
      document: expect.objectContaining({ title: 'Price list', mediaType: 'text/html' }),
    });
    const form = new FormData();
    form.set('file', new Blob(['# Terms\n\nGaskets are returned.']), 'terms.md');
    form.set('title', 'Returns');
    const encodedForm = new Response(form);
    const type = encodedForm.headers.get('content-type')!;
    const formBytes = new Uint8Array(await encodedForm.arrayBuffer());
    expect(await upload(type, formBytes)).toMatchObject({
      document: { title: 'Returns', mediaType: 'text/markdown', status: 'ready' },
    });
    expect(await search(client, { query: 'gasket' })).toHaveLength(2);
    const documents = await call(client, `GET ${DOCUMENTS_PATH}`, { id });
    expect((documents.json as { documents: object[] }).documents).toHaveLength(2);
    for (const [contentType, status, bytes] of [
      ['multipart/form-data; boundary=x', 400, '--y'],
      ['application/pdf', 415, 'no PDF at all'],
      ['image/png', 415, 'PNG'],
    ] as const) {
      const headers = { authorization: `Bearer ${key.apiKey}`, 'content-type': contentType };
      const answer = await call(client, `POST ${DOCUMENTS_PATH}`, { id }, { headers, body: bytes });
      expect([contentType, answer.status]).toEqual([contentType, status]);
    }
  });

  it('returns 404 for another workspace', async () => {
    const owner = await createClient();
    const { id } = await createSource(owner);
    const document = await addDocument(owner, id, { content: 'The merger is called Nightingale.' });
    const otherClient = await createClient();
    const body = { content: 'x' };
    for (const answer of [
      await call(otherClient, `GET ${SOURCE_PATH}`, { id }),
      await call(otherClient, `DELETE ${SOURCE_PATH}`, { id }),
      await call(otherClient, `GET ${DOCUMENTS_PATH}`, { id }),
      await call(otherClient, `POST ${DOCUMENTS_PATH}`, { id }, { body }),
      await call(otherClient, `DELETE ${DOCUMENT_PATH}`, document),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect(await search(otherClient, { query: 'Nightingale' })).toEqual([]);
    const searchBody = { query: 'Nightingale', sourceIds: [id] };
    expect((await call(otherClient, `POST ${SEARCH_PATH}`, {}, { body: searchBody })).status).toBe(
      400,
    );
    expect(await search(owner, searchBody)).toHaveLength(1);
  });

  it('is read with knowledge:read and changed only with knowledge', async () => {
    const reader = await createClient(['knowledge:read']);
    expect((await call(reader, `GET ${SOURCES_PATH}`)).status).toBe(200);
    expect(await search(reader, { query: 'anything' })).toEqual([]);
    const id = 'kns_0000000000000000000000';
    const responses = await Promise.all([
      reader.send(SOURCES_PATH, { body: { name: 'Mine' } }),
      reader.send(`${SOURCES_PATH}/${id}`, { method: 'DELETE' }),
      reader.send(`${SOURCES_PATH}/${id}/documents`, { body: { content: 'x' } }),
      reader.send(`/v1/knowledge/documents/${id}`, { method: 'DELETE' }),
      (await createClient(['agents'])).send(SEARCH_PATH, { body: { query: 'anything' } }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  it('is linked to agents until either is deleted', async () => {
    const client = await createClient();
    const { id: sourceId } = await createSource(client, 'Linked');
    const persona = { name: `Reader ${transport}`, systemPrompt: 'You read.' };
    const created = await client.send('/v1/agents', { body: persona });
    const { id } = (created.json as { agent: { id: string } }).agent;
    const body = { sourceId };
    for (const _time of [1, 2]) {
      const linkAnswer = await call(client, `POST ${LINKS_PATH}`, { id }, { body });
      expect([linkAnswer.status, linkAnswer.json]).toEqual([200, { agentId: id, sourceId }]);
    }
    const sourceAnswer = await call(client, `GET ${SOURCE_PATH}`, { id: sourceId });
    expect((sourceAnswer.json as { source: Source }).source.agents).toEqual([
      { id, name: persona.name },
    ]);
    const stranger = await createClient();
    const listLinked = (as: HttpClient) => call(as, `GET ${LINKS_PATH}`, { id });
    const listed = await listLinked(client);
    expect(listed.json).toEqual({ sources: [expect.objectContaining({ id: sourceId })] });
    expect((await listLinked(stranger)).status).toBe(404);
    expect((await call(client, `DELETE ${LINK_PATH}`, { id, sourceId })).status).toBe(204);
    expect((await listLinked(client)).json).toEqual({ sources: [] });
    await call(client, `POST ${LINKS_PATH}`, { id }, { body });
    expect((await call(client, `DELETE ${SOURCE_PATH}`, { id: sourceId })).status).toBe(204);
    expect((await listLinked(client)).json).toEqual({ sources: [] });
    expect((await call(client, `POST ${LINKS_PATH}`, { id }, { body })).status).toBe(404);
  });

  it('is not found after its document is deleted', async () => {
    const client = await createClient();
    const { id } = await createSource(client, 'Forgotten');
    const document = await addDocument(client, id, { content: 'The launch code is Quicksilver.' });
    expect(await search(client, { query: 'Quicksilver' })).toHaveLength(1);
    expect((await call(client, `DELETE ${DOCUMENT_PATH}`, document)).status).toBe(204);
    expect(await search(client, { query: 'Quicksilver' })).toEqual([]);
    expect((await call(client, `DELETE ${DOCUMENT_PATH}`, document)).status).toBe(404);
  });

  it('returns 202 for a large document, which is found once it is indexed', async () => {
    const client = await createClient();
    const { id } = await createSource(client, 'Large');
    const content = `${'All was quiet in the harbour. '.repeat(150_000)}\n\nThe walrus came.`;
    const answer = await call(client, `POST ${DOCUMENTS_PATH}`, { id }, { body: { content } });
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({ document: { status: 'processing' } });
    await eventually(async () => {
      const { json } = await call(client, `GET ${DOCUMENTS_PATH}`, { id });
      return (json as { documents: Document[] }).documents[0]?.status === 'ready';
    }, 'an indexed document');
    const [passage] = await search(client, { query: 'When did the walrus come?' });
    expect(passage!.text).toContain('The walrus came.');
  });

  it.each([
    ['an empty document', { content: ' ' }, 400],
    ['a document without content', { title: 'x' }, 400],
    ['a title with NUL', { title: '\0', content: 'x' }, 400],
  ])('refuses %s', async (_name, body, status) => {
    const client = await createClient();
    const { id } = await createSource(client);
    expect((await call(client, `POST ${DOCUMENTS_PATH}`, { id }, { body })).status).toBe(status);
  });
});
