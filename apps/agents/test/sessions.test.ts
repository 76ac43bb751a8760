import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import type { TurnRecord } from '../src/session/session.ts';
import type { Storage } from '../src/open-storage.ts';
import { acceptedMemory, openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';

type Owner = { workspaceId: string; agentId: string };

const NOT_FOUND = { reason: 'NOT_FOUND' };
const FULL = { reason: 'CONFLICT', fields: { code: 'session_full', param: 'sessionId' } };

describe('sessions', () => {
  let database: TestStorage;
  let replicas: Storage[];
  beforeAll(async () => {
    database = await openTestStorage();
    replicas = [database.storage, await database.openReplica()];
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const turnOf = ({ agentId }: Owner, sessionId: string, more: Partial<TurnRecord> = {}) => ({
    agentId,
    sessionId,
    question: 'q',
    answer: 'a',
    agentName: 'Ann',
    proofIds: [],
    memories: [],
    shownMemories: [],
    isLocalOnly: false,
    isTainted: false,
    ...more,
  });
  const createSession = async (owner: Owner): Promise<string> => {
    const sessionId = newId('ses');
    const turn = turnOf(owner, sessionId, { newTitle: 'Chat' });
    await replicas[0]!.sessions.saveTurn(owner.workspaceId, turn);
    return sessionId;
  };
  const history = ({ workspaceId, agentId }: Owner, id: string, limit = 1_000) =>
    replicas[1]!.sessions.loadHistory(workspaceId, agentId, id, limit);

  it('have the marks of their turns and those with which they were created', async () => {
    const owner = await database.createOwner();
    const { workspaceId } = owner;
    const sessionId = await createSession(owner);
    const marks = [{}, { isTainted: true }, { isLocalOnly: true }, {}];
    const seen: (boolean | undefined)[][] = [];
    for (const more of marks) {
      await replicas[0]!.sessions.saveTurn(workspaceId, turnOf(owner, sessionId, more));
      const { isTainted, isLocalOnly, messages } = (await history(owner, sessionId))!;
      seen.push([isTainted, isLocalOnly]);
      expect(messages).toHaveLength(2 + 2 * seen.length);
    }
    expect(seen).toEqual([
      [false, false],
      [true, false],
      [true, true],
      [true, true],
    ]);
    const empty = { id: newId('ses'), title: 'Chat', createdAt: new Date(), isLocalOnly: true };
    await replicas[0]!.sessions.insert(workspaceId, { ...empty, agentId: owner.agentId });
    expect(await history(owner, empty.id)).toMatchObject({ isLocalOnly: true, isTainted: false });
    const listed = await replicas[0]!.sessions.list(workspaceId, owner.agentId, { limit: 9 });
    expect(listed.map(({ isLocalOnly }) => isLocalOnly)).toEqual([true, true]);
  });

  it('are marked local-only by a local-only summary, even if the turn fails', async () => {
    const owner = await database.createOwner();
    const { workspaceId } = owner;
    const sessionId = await createSession(owner);
    const { sessions } = replicas[0]!;
    const seen: (boolean | undefined)[] = [];
    for (const [until, isLocalOnly] of [false, true, false].entries()) {
      await sessions.saveSummary(workspaceId, sessionId, {
        text: 's',
        until: until + 1,
        isLocalOnly,
      });
      seen.push((await history(owner, sessionId))?.isLocalOnly);
    }
    expect(seen).toEqual([false, true, true]);
  });

  it('store question and answer next to each other under concurrent turns', async () => {
    const owner = await database.createOwner();
    const sessionId = await createSession(owner);
    const numbers = Array.from({ length: 30 }, (_, n) => n);
    await Promise.all(
      numbers.map((n) =>
        replicas[n % 2]!.sessions.saveTurn(
          owner.workspaceId,
          turnOf(owner, sessionId, { question: `q${n}`, answer: `a${n}` }),
        ),
      ),
    );
    const { messages } = (await history(owner, sessionId))!;
    const pairs = numbers.map((n) => [messages[2 * n + 2], messages[2 * n + 3]]);
    for (const [question, answer] of pairs) {
      expect([question!.senderType, answer!.senderType]).toEqual(['user', 'agent']);
      expect(answer!.content.slice(1)).toBe(question!.content.slice(1));
    }
    expect(new Set(messages.map(({ content }) => content)).size).toBe(62);
    const found = await replicas[0]!.sessions.find(owner.workspaceId, owner.agentId, sessionId);
    expect(found!.session.messageCount).toBe(62);
  });

  it('retain the summary that covers the most messages, in any order of writes', async () => {
    const owner = await database.createOwner();
    const sessionId = await createSession(owner);
    const positions = [7, 30, 2, 50, 11, 49];
    await Promise.all(
      positions.map((until, n) =>
        replicas[n % 2]!.sessions.saveSummary(owner.workspaceId, sessionId, {
          text: `up to ${until}`,
          until,
          isLocalOnly: false,
        }),
      ),
    );
    expect(await history(owner, sessionId)).toMatchObject({
      summary: 'up to 50',
      summaryUntil: 50,
    });
    const stranger = (await database.createOwner()).workspaceId;
    await replicas[0]!.sessions.saveSummary(stranger, sessionId, {
      text: 'x',
      until: 99,
      isLocalOnly: false,
    });
    expect(await history(owner, sessionId)).toMatchObject({ summaryUntil: 50 });
  });

  it.each<[string, (owner: Owner, sessionId: string) => Promise<unknown>]>([
    [
      'session',
      ({ workspaceId, agentId }, id) => replicas[1]!.sessions.delete(workspaceId, agentId, id),
    ],
    ['agent', ({ workspaceId, agentId }) => replicas[1]!.agents.delete(workspaceId, agentId)],
  ])('store nothing of a turn whose %s was deleted during the turn', async (_name, remove) => {
    const owner = await database.createOwner();
    const sessionId = await createSession(owner);
    await remove(owner, sessionId);
    const memories = [
      acceptedMemory('own', 'v'),
      acceptedMemory('shared', 'v', { isGlobal: true }),
    ];
    const turn = turnOf(owner, sessionId, { memories });
    const saving = replicas[0]!.sessions.saveTurn(owner.workspaceId, turn);
    await expect(saving).rejects.toMatchObject(NOT_FOUND);
    await replicas[0]!.sessions.saveSummary(owner.workspaceId, sessionId, {
      text: 'x',
      until: 9,
      isLocalOnly: false,
    });
    for (const table of ['session', 'message', 'memory']) {
      const sql = `SELECT FROM ${table} WHERE workspace_id = $1`;
      expect([table, await database.query(sql, [owner.workspaceId])]).toEqual([table, []]);
    }
  });

  it('are listed completely, even if the last one of a page is deleted', async () => {
    const owner = await database.createOwner();
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.unshift(await createSession(owner));
    const { workspaceId, agentId } = owner;
    const list = async (after?: string): Promise<string[]> => {
      const page = { limit: 2, ...(after === undefined ? {} : { after }) };
      const found = await replicas[0]!.sessions.list(workspaceId, agentId, page);
      return found.map(({ id }) => id);
    };
    expect(await list()).toEqual(ids.slice(0, 2));
    expect(await list(ids[1])).toEqual(ids.slice(2, 4));
    await replicas[0]!.sessions.delete(workspaceId, agentId, ids[1]!);
    expect(await list(ids[1])).toEqual([ids[0], ids[2]]);
    const stranger = await database.createOwner();
    const foreign = await replicas[0]!.sessions.list(stranger.workspaceId, stranger.agentId, {
      limit: 2,
      after: ids[3]!,
    });
    expect(foreign).toEqual([]);
  });

  it('load the newest messages up to a limit of bytes', async () => {
    const owner = await database.createOwner();
    const sessionId = await createSession(owner);
    const long = 'é'.repeat(1024 * 1024);
    for (let n = 0; n < 3; n += 1) {
      const turn = turnOf(owner, sessionId, { question: `${n}${long}`, answer: `${n}` });
      await replicas[0]!.sessions.saveTurn(owner.workspaceId, turn);
    }
    const shortened = (await history(owner, sessionId))!.messages.map(({ content }) => content[0]);
    expect(shortened).toEqual(['q', 'a', '0', '0', '1', '1', '2', '2']);
    expect((await history(owner, sessionId, 2))!.messages).toHaveLength(2);
    const turn = turnOf(owner, sessionId, { question: `3${long}` });
    await replicas[0]!.sessions.saveTurn(owner.workspaceId, turn);
    const newest = (await history(owner, sessionId))!.messages.map(({ content }) => content[0]);
    expect(newest).toEqual(['0', '1', '1', '2', '2', '3', 'a']);
  });

  it('are limited in size, which is checked before a model call', async () => {
    const owner = await database.createOwner();
    const bytes = await createSession(owner);
    const setBytes = 'UPDATE session SET bytes = $2 WHERE id = $1 RETURNING bytes';
    await database.query(setBytes, [bytes, 24 * 1024 * 1024 - 3]);
    expect(await history(owner, bytes)).toBeDefined();
    const turn = turnOf(owner, bytes, { question: 'é', answer: 'a' });
    await replicas[0]!.sessions.saveTurn(owner.workspaceId, turn);
    await expect(history(owner, bytes)).rejects.toMatchObject(FULL);
    const { workspaceId, agentId } = owner;
    const whole = await replicas[0]!.sessions.find(workspaceId, agentId, bytes);
    expect(whole!.messages).toHaveLength(4);
    const messages = await createSession(owner);
    const sql = 'UPDATE session SET message_count = 20000 WHERE id = $1';
    await database.query(sql, [messages]);
    await expect(history(owner, messages)).rejects.toMatchObject(FULL);
  });
});
