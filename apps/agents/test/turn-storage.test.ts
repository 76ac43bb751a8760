import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { Client } from 'pg';
import type { TurnRecord } from '../src/session/session.ts';
import type { Storage } from '../src/open-storage.ts';
import { acceptedMemory, openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';

type Owner = { workspaceId: string; agentId: string };

const turnOf = (
  agentId: string,
  sessionId: string,
  turnFields: Partial<TurnRecord> = {},
): TurnRecord => ({
  agentId,
  sessionId,
  question: 'q',
  answer: 'a',
  agentName: 'Ann',
  proofIds: ['pf_1', 'pf_2'],
  memories: [],
  shownMemories: [],
  isLocalOnly: false,
  isTainted: false,
  ...turnFields,
});

describe('the storage of turns', () => {
  let database: TestStorage;
  let storage: Storage;
  beforeAll(async () => {
    database = await openTestStorage();
    ({ storage } = database);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const createSession = async (): Promise<Owner & { sessionId: string }> => {
    const owner = await database.createOwner();
    const sessionId = newId('ses');
    const turn = turnOf(owner.agentId, sessionId, { newTitle: 'Chat' });
    await storage.sessions.saveTurn(owner.workspaceId, turn);
    return { ...owner, sessionId };
  };
  const countRoundTrips = async (work: () => Promise<unknown>): Promise<number> => {
    // The first run opens the connection and loads types, so it is not counted.
    await work();
    const sent = jest.spyOn(Client.prototype, 'query');
    await work();
    return sent.mock.calls.length;
  };
  const memories = (value: string) => [
    acceptedMemory('own', value),
    acceptedMemory('shared', value, { isGlobal: true }),
  ];

  it.each<
    [string, number, (storage: Storage, sessionOwner: Owner & { sessionId: string }) => unknown]
  >([
    [
      'finding an agent',
      1,
      ({ agents }, { workspaceId, agentId }) => agents.find(workspaceId, agentId),
    ],
    [
      'recalling its memories',
      1,
      ({ recall }, { workspaceId, agentId }) => recall.all(workspaceId, agentId),
    ],
    [
      'loading a history',
      1,
      ({ sessions }, { workspaceId, agentId, sessionId }) =>
        sessions.loadHistory(workspaceId, agentId, sessionId, 100),
    ],
    [
      'saving a turn',
      1,
      ({ sessions }, { workspaceId, agentId, sessionId }) =>
        sessions.saveTurn(workspaceId, turnOf(agentId, sessionId)),
    ],
    [
      'saving a turn with memories',
      1,
      ({ sessions }, { workspaceId, agentId, sessionId }) =>
        sessions.saveTurn(workspaceId, turnOf(agentId, sessionId, { memories: memories('v') })),
    ],
    [
      'saving nothing',
      0,
      ({ saveMemories }, { workspaceId, agentId }) =>
        saveMemories(workspaceId, { agentId, memories: [], shownMemories: [] }),
    ],
  ])('%s takes %i round trips', async (_name, expected, ask) => {
    const sessionOwner = await createSession();
    expect(await countRoundTrips(async () => ask(storage, sessionOwner))).toBe(expected);
  });

  it('is limited to the workspace of the turn', async () => {
    const { workspaceId, agentId, sessionId } = await createSession();
    const stranger = (await database.createOwner()).workspaceId;
    expect(await storage.agents.find(workspaceId, agentId)).toMatchObject({ id: agentId });
    expect(await storage.agents.find(stranger, agentId)).toBeUndefined();
    expect(await storage.agents.findBySlug(stranger, agentId)).toBeUndefined();
    expect(await storage.sessions.loadHistory(stranger, agentId, sessionId, 9)).toBeUndefined();
    const otherAgentId = (await database.createOwner(workspaceId)).agentId;
    expect(
      await storage.sessions.loadHistory(workspaceId, otherAgentId, sessionId, 9),
    ).toBeUndefined();
    for (const [location, who] of [
      [stranger, agentId],
      [workspaceId, otherAgentId],
    ] as const) {
      const saving = storage.sessions.saveTurn(location, turnOf(who, sessionId));
      await expect(saving).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
    const history = await storage.sessions.loadHistory(workspaceId, agentId, sessionId, 9);
    expect(history!.messages).toHaveLength(2);
  });

  it('preserves any characters', async () => {
    const { workspaceId, agentId, sessionId } = await createSession();
    const question = `'"\\ ? $1 :y {} \u{1f600}\n\t${'w'.repeat(3_000)}`;
    const turnFields = { question, answer: 'é', proofIds: ['a"b', 'c,{d}'] };
    await storage.sessions.saveTurn(workspaceId, turnOf(agentId, sessionId, turnFields));
    const history = await storage.sessions.loadHistory(workspaceId, agentId, sessionId, 2);
    expect(history).toMatchObject({ summary: '', summaryUntil: 0 });
    const [userMessage, agentMessage] = history!.messages;
    expect(userMessage).toMatchObject({ senderType: 'user', agentName: '', content: question });
    expect(agentMessage).toMatchObject({ senderType: 'agent', agentName: 'Ann', content: 'é' });
    expect(agentMessage!.position).toBeGreaterThan(userMessage!.position);
    const sql = 'SELECT proof_ids FROM message WHERE session_id = $1 ORDER BY position';
    const rows = await database.query<{ proof_ids: string[] }>(sql, [sessionId]);
    expect(rows.map((row) => row.proof_ids)).toEqual([
      [],
      ['pf_1', 'pf_2'],
      [],
      turnFields.proofIds,
    ]);
  });

  it('saves a turn completely or not at all if its agent is deleted concurrently', async () => {
    const { workspaceId, agentId, sessionId } = await createSession();
    const results = await Promise.allSettled([
      ...Array.from({ length: 20 }, (_, n) => {
        const title = n % 2 ? { newTitle: 'Chat' } : {};
        const session = n % 2 ? newId('ses') : sessionId;
        const turn = turnOf(agentId, session, { ...title, memories: memories(`v${n}`) });
        return storage.sessions.saveTurn(workspaceId, turn);
      }),
      storage.agents.delete(workspaceId, agentId),
    ]);
    const failures = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    expect(failures.map(({ reason }) => reason)).toEqual(failures.map(() => 'NOT_FOUND'));
    const left = await database.query(
      `SELECT key FROM memory WHERE workspace_id = $1 AND agent_id IS NOT NULL
       UNION ALL SELECT id FROM message WHERE workspace_id = $1
       UNION ALL SELECT id FROM session WHERE workspace_id = $1`,
      [workspaceId],
    );
    expect(left).toEqual([]);
  });
});

describe('a batch of memories', () => {
  it('is written completely or not at all, also if the scope of the workspace is full', async () => {
    await using database = await openTestStorage();
    const owner = await database.createOwner();
    const save = (max: number, ...drafts: ReturnType<typeof acceptedMemory>[]) =>
      database.storage.memories.save(
        owner,
        drafts.map((draft) => ({ ...draft, id: newId('mem') })),
        max,
      );
    await save(2, acceptedMemory('old', '1'), acceptedMemory('full', '1', { isGlobal: true }));
    const refused = save(
      1,
      acceptedMemory('old', '2'),
      acceptedMemory('full', '2', { isGlobal: true }),
      acceptedMemory('more', '2', { isGlobal: true }),
    );
    await expect(refused).rejects.toMatchObject({ fields: { code: 'memory_limit_reached' } });
    const values = await database.query(
      'SELECT value, revision FROM memory WHERE workspace_id = $1',
      [owner.workspaceId],
    );
    expect(values).toEqual([
      { value: '1', revision: 1 },
      { value: '1', revision: 1 },
    ]);
    const deletedAgent = { ...owner, agentId: newId('agt') };
    const draft = { ...acceptedMemory('a', 'b'), id: newId('mem') };
    expect(await database.storage.memories.save(deletedAgent, [draft], 9)).toBeUndefined();
  });
});
