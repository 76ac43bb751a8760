import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { createGate, createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { addDocument } from './add-document.ts';
import { optionsFor, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

type Knowledge = Client<typeof KnowledgeService>;

const BUDGET_BYTES = 1_000;

describe('the memory budget for uploads', () => {
  let database: TestDatabase;
  let service: TestAgents;
  let knowledge: Knowledge;

  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    service = await openAgents(database.urls['agents']!, { uploadBytesMax: BUDGET_BYTES });
    knowledge = service.clientOf(KnowledgeService);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const createSource = async (workspaceId: string): Promise<string> => {
    const { source } = await knowledge.createSource({ name: 'Notes' }, optionsFor(workspaceId));
    return source!.id;
  };
  /** Sends the document's content and ends the upload only once the gate opens. */
  const sendSlowly = (workspaceId: string, sourceId: string, bytes: number) => {
    const gate = createGate();
    const begunGate = createGate();
    const messages = async function* () {
      const head = { sourceId, title: '', mediaType: 'text/plain', fileName: '' };
      yield { message: { case: 'head' as const, value: head } };
      yield { message: { case: 'content' as const, value: Buffer.alloc(bytes, 'word ') } };
      begunGate.open();
      await gate.pass();
    };
    const answer = (async () => {
      for await (const { document } of knowledge.addDocument(messages(), optionsFor(workspaceId))) {
        return document!.status;
      }
      return undefined;
    })();
    return { answer, begun: begunGate.pass(), end: gate.open };
  };
  const add = (workspaceId: string, sourceId: string, bytes: number) =>
    addDocument(knowledge, workspaceId, { sourceId, text: 'word '.repeat(bytes / 5) });

  it('limits each workspace to its share, so that others can still upload', async () => {
    const [mine, other] = [await createSource('ws_mine'), await createSource('ws_other')];
    const slowUpload = sendSlowly('ws_mine', mine, 400);
    await slowUpload.begun;
    const refusal = { reason: 'RATE_LIMITED', fields: { code: 'too_many_uploads' } };
    await eventually(
      () =>
        add('ws_mine', mine, 300).then(
          () => false,
          (error: unknown) => {
            expect(error).toMatchObject(refusal);
            return true;
          },
        ),
      'a workspace that has used its share',
    );
    expect((await add('ws_other', other, 200)).status).toBe('ready');
    await expect(add('ws_other', other, 700)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    slowUpload.end();
    expect(await slowUpload.answer).toBe('ready');
    expect((await add('ws_mine', mine, 900)).status).toBe('ready');
  });

  it('is released by disconnected clients and by rejected uploads', async () => {
    const source = await createSource('ws_leaves');
    for (let time = 0; time < 20; time += 1) {
      const messages = async function* () {
        const head = { sourceId: source, title: '', mediaType: 'image/png', fileName: '' };
        yield { message: { case: 'head' as const, value: head } };
        yield { message: { case: 'content' as const, value: Buffer.alloc(400) } };
        if (time % 2 === 0) throw new Error('The client disconnected.');
      };
      const sent = (async () => {
        for await (const _answer of knowledge.addDocument(messages(), optionsFor('ws_leaves')));
      })();
      await expect(sent).rejects.toMatchObject({ message: expect.any(String) });
    }
    await eventually(
      () =>
        add('ws_leaves', source, 900).then(
          () => true,
          () => false,
        ),
      'all of the room',
    );
  });
});
