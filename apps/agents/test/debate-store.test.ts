import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fromBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { LeaseLostError } from '../src/debate/record/debate-store.ts';
import type { LeasedDebate } from '../src/debate/record/debate-store.ts';
import type { Synthesis } from '../src/debate/debate.ts';
import type { Storage } from '../src/open-storage.ts';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';
import {
  AGENTS,
  CONFIG,
  LEASE_MS,
  absentStep,
  answeredStep,
  beginNewDebate,
  createConversation,
  debateIn,
  framedStep,
  panelOf,
  roundCompleted,
  roundStarted,
  synthesized,
  wholeDebate,
} from './script-debate.ts';

describe('the debate store', () => {
  let database: TestStorage;
  let replicas: Storage[];
  beforeAll(async () => {
    database = await openTestStorage();
    replicas = [database.storage, await database.openReplica()];
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const openDebate = async (leaseMs = LEASE_MS) => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(replicas[0]!, workspaceId);
    const debate = debateIn(conversationId);
    const leased = await beginNewDebate(replicas[0]!.debates, workspaceId, debate, leaseMs);
    return { workspaceId, conversationId, debate, leased };
  };
  const saveAll = async (leased: LeasedDebate, steps = wholeDebate()): Promise<void> => {
    for (const step of steps) await replicas[0]!.debates.save(leased, step);
  };
  const load = async ({ workspaceId, id }: LeasedDebate) =>
    (await replicas[1]!.debateArchive.load(workspaceId, id))!;
  const eventsOf = async ({ workspaceId, id }: LeasedDebate, afterSeq = 0) =>
    (await replicas[1]!.debateArchive.readEvents(workspaceId, id, afterSeq))!;
  const outboxOf = (workspaceId: string) =>
    database.query<{ type: string; payload: Buffer }>(
      'SELECT type, payload FROM outbox WHERE workspace_id = $1',
      [workspaceId],
    );
  const expire = ({ id }: LeasedDebate) =>
    database.query(`UPDATE debate SET due_at = now() - interval '1 ms' WHERE id = $1`, [id]);
  /** Expires the lease and acquires it in the other replica. */
  const acquireOnOtherReplica = async (leased: LeasedDebate): Promise<LeasedDebate> => {
    await expire(leased);
    // Polls, because `acquire` skips a debate whose row is locked by a write.
    const acquired = await eventually(() => replicas[1]!.debates.acquire(LEASE_MS));
    expect(acquired).toMatchObject({ id: leased.id, workspaceId: leased.workspaceId });
    return acquired;
  };

  it('returns each stored step unchanged', async () => {
    const { leased, debate } = await openDebate();
    const { fingerprint: _, ...debateFields } = debate;
    const start = { ...debateFields, state: 'running', lastSeq: 1, rounds: [] };
    expect(await load(leased)).toEqual(start);
    const [one, two, three] = wholeDebate();
    await saveAll(leased, [one!, two!]);
    const { given } = answeredStep(1, 'agt_bob');
    expect(await load(leased)).toMatchObject({
      lastSeq: 4,
      frame: (framedStep as { frame: object }).frame,
      rounds: [],
      openRound: { roundNumber: 1, answers: [given.answer], absences: [] },
    });
    await saveAll(leased, [three!, [roundCompleted(1, 1 / 3)]]);
    const stored = await load(leased);
    expect(stored.openRound).toBeUndefined();
    const [round] = stored.rounds;
    expect(round!.convergenceScore).toBe(1 / 3);
    expect(round!.report).toStrictEqual({ ...round!.report, consensus: undefined });
    expect(round!.answers.map(({ agentId }) => agentId)).toEqual(['agt_ann', 'agt_bob']);
    expect(round!.answers[1]).toStrictEqual(given.answer);
    expect(Object.keys(round!.answers[1]!.levers)).toEqual(['zeta', 'alpha']);
    const absence = { agentId: 'agt_cid', agentName: 'cid', reason: 'refused' };
    expect(round!.absences).toEqual([absence]);
  });

  it('reads a synthesis of an older release without camps', async () => {
    const { leased } = await openDebate();
    const olderSynthesis = { camps: undefined, withoutStance: undefined } as unknown as Synthesis;
    await saveAll(leased, [...wholeDebate().slice(0, -1), [synthesized(olderSynthesis)]]);
    const { synthesis } = (await load(leased)).synthesis!;
    expect(synthesis).toMatchObject({ camps: [], withoutStance: [] });
  });

  it('returns the events of the stored steps in order', async () => {
    const { leased, debate, workspaceId, conversationId } = await openDebate();
    await saveAll(leased);
    const events = await eventsOf(leased);
    expect(events[0]).toMatchObject({ kind: 'started', conversationId, agents: AGENTS });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ kind, roundNumber, agentId }) => [kind, roundNumber, agentId])).toEqual([
      ['started', 0, ''],
      ['framed', 0, ''],
      ['round-started', 1, ''],
      ['agent-completed', 1, 'agt_bob'],
      ['agent-completed', 1, 'agt_ann'],
      ['agent-failed', 1, 'agt_cid'],
      ['round-completed', 1, ''],
      ['round-started', 2, ''],
      ['agent-failed', 2, 'agt_bob'],
      ['agent-completed', 2, 'agt_bob'],
      ['agent-completed', 2, 'agt_ann'],
      ['agent-completed', 2, 'agt_cid'],
      ['round-completed', 2, ''],
      ['synthesis-completed', 0, ''],
      ['done', 0, ''],
    ]);
    expect(await eventsOf(leased, 13)).toEqual(events.slice(-2));
    expect(await eventsOf(leased, 15)).toEqual([]);
    const found = (await replicas[1]!.conversations.find(workspaceId, conversationId))!;
    const shownMessages = events.flatMap((event) => ('message' in event ? [event.message!] : []));
    expect(new Set(shownMessages)).toEqual(new Set(found.messages));
    expect(
      events.flatMap((event) => (event.kind === 'round-completed' ? [event.round] : [])),
    ).toEqual(found.rounds);
    expect(events[1]).toMatchObject({ issues: [{ id: 'i1' }] });
    expect(events[5]).toMatchObject({ agentName: 'cid' });
    expect(events.at(-1)).toMatchObject({
      convergenceScore: 0.6667,
      messages: found.messages,
      rounds: found.rounds,
      // Sum of the framing call, four answers and the synthesis; the stale answer is not counted
      // again.
      usage: { promptTokens: 100 + 4 * 10 + 1_000, completionTokens: 6, totalTokens: 1_146 },
    });
    expect(
      found.messages.map(({ senderType, roundNumber, agentName, isStale }) => [
        senderType,
        roundNumber,
        agentName,
        isStale,
      ]),
    ).toEqual([
      ['user', 0, '', false],
      ['agent', 1, 'ann', false],
      ['agent', 1, 'bob', false],
      ['agent', 2, 'ann', false],
      ['agent', 2, 'bob', true],
      ['agent', 2, 'cid', false],
      ['synthesis', 0, '', false],
    ]);
    expect(found.messages[0]).toMatchObject({ content: debate.question, debateId: debate.id });
    expect(found.conversation.messageCount).toBe(7);
  });

  it('rejects writes with a lease that was replaced', async () => {
    const { leased, workspaceId } = await openDebate();
    await saveAll(leased, wholeDebate().slice(0, 2));
    const acquired = await acquireOnOtherReplica(leased);
    expect(acquired.attempts).toBe(2);
    expect(acquired.lease).not.toBe(leased.lease);
    const before = await load(leased);
    const { debates } = replicas[0]!;
    const failure = { kind: 'k', code: 'c', message: 'm' };
    const steps = [
      ...wholeDebate().slice(2),
      [{ kind: 'failed' as const, failure }],
      [answeredStep(1, 'agt_cid')],
      [],
    ];
    for (const step of steps)
      await expect(debates.save(leased, step)).rejects.toThrow(LeaseLostError);
    expect(await debates.renew(leased, LEASE_MS)).toBe(false);
    await debates.release(leased);
    expect(await load(leased)).toEqual(before);
    expect(await outboxOf(workspaceId)).toEqual([]);
    await saveAll(acquired, wholeDebate().slice(2));
    expect((await load(acquired)).state).toBe('synthesized');
    expect((await eventsOf(acquired)).map(({ seq }) => seq)).toHaveLength(15);
  });

  it('does not lease a renewed debate to another process until it is released', async () => {
    const { leased } = await openDebate(LEASE_MS);
    await expire(leased);
    expect(await replicas[0]!.debates.renew(leased, LEASE_MS)).toBe(true);
    expect(await replicas[1]!.debates.acquire(LEASE_MS)).toBeUndefined();
    await replicas[0]!.debates.release(leased);
    const acquired = (await replicas[1]!.debates.acquire(LEASE_MS))!;
    const { lease, leasedAt } = acquired;
    expect(acquired).toEqual({ ...leased, lease, leasedAt, attempts: 1 });
    await saveAll(acquired);
    await expire(acquired);
    expect(await replicas[1]!.debates.acquire(LEASE_MS)).toBeUndefined();
  });

  it('leases each debate to one of many concurrent pollers', async () => {
    const openDebates = await Promise.all([1, 2, 3].map(() => openDebate()));
    for (const { leased } of openDebates) await expire(leased);
    const polls = Array.from({ length: 12 }, (_, n) => replicas[n % 2]!.debates.acquire(LEASE_MS));
    const acquiredIds = (await Promise.all(polls)).flatMap((leased) => leased?.id ?? []);
    // A poll may find nothing while another one is leasing, so only a debate leased twice is an
    // error.
    expect(new Set(acquiredIds).size).toBe(acquiredIds.length);
    const rest = [];
    for (let left = await replicas[0]!.debates.acquire(LEASE_MS); left;) {
      rest.push(left.id);
      left = await replicas[0]!.debates.acquire(LEASE_MS);
    }
    const ids = openDebates.map(({ leased }) => leased.id);
    expect([...acquiredIds, ...rest].toSorted()).toEqual(ids.toSorted());
  });

  it('stores events without gaps and one answer per agent under concurrent writes', async () => {
    const { leased } = await openDebate();
    await saveAll(leased, [[framedStep, roundStarted(1)]]);
    const ids = Array.from({ length: 12 }, (_, n) => `agt_${n}`);
    const writes = [...ids, ...ids].map((agentId, n) =>
      replicas[n % 2]!.debates.save(leased, [answeredStep(1, agentId, { position: `${n}` })]),
    );
    await Promise.all(writes);
    const events = await eventsOf(leased, 3);
    expect(events.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 4));
    expect(new Set(events.map(({ agentId }) => agentId)).size).toBe(12);
    const { openRound } = await load(leased);
    expect(openRound!.answers).toHaveLength(12);
    const lateSteps = [
      absentStep(1, 'agt_3', 'timeout'),
      answeredStep(1, 'agt_3'),
      answeredStep(1, 'agt_new'),
    ];
    await saveAll(leased, [[...lateSteps, answeredStep(1, 'agt_new')]]);
    const [event, ...rest] = await eventsOf(leased, 15);
    expect([event!.agentId, event!.seq, rest]).toEqual(['agt_new', 16, []]);
    expect((await load(leased)).openRound!.absences).toEqual([]);
  });

  it('accepts the writes of only one of two concurrent runners', async () => {
    const { leased } = await openDebate();
    await saveAll(leased, [[framedStep, roundStarted(1)]]);
    const [acquired, ...lateResults] = await Promise.all([
      acquireOnOtherReplica(leased),
      ...['agt_x', 'agt_y', 'agt_z'].map((agentId) =>
        replicas[0]!.debates
          .save(leased, [answeredStep(1, agentId)])
          .catch((error: unknown) => error),
      ),
    ]);
    const stored = lateResults.filter((result) => result === undefined).length;
    const leaseLostCount = lateResults.filter(
      (lateResult) => lateResult instanceof LeaseLostError,
    ).length;
    expect(stored + leaseLostCount).toBe(3);
    expect((await load(leased)).openRound!.answers).toHaveLength(stored);
    await replicas[1]!.debates.save(acquired, [answeredStep(1, 'agt_y')]);
    const events = await eventsOf(leased);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ agentId }) => agentId === 'agt_y')).toHaveLength(1);
  });

  it('publishes the synthesis once, in the transaction that stores it', async () => {
    const { leased, workspaceId, conversationId } = await openDebate();
    await saveAll(leased, wholeDebate().slice(0, -1));
    expect(await outboxOf(workspaceId)).toEqual([]);
    // The step `round-completed` is a duplicate and fails, so neither the synthesis nor its event
    // is stored.
    const conflictingSteps = [synthesized(), roundCompleted(2, 0.5)];
    await expect(replicas[0]!.debates.save(leased, conflictingSteps)).rejects.toMatchObject({
      code: '23505',
    });
    expect(await outboxOf(workspaceId)).toEqual([]);
    expect((await load(leased)).state).toBe('running');
    const synthesis = 'We should.';
    const ends = [1, 2, 3].map((n) =>
      replicas[n % 2]!.debates.save(leased, [synthesized({ content: synthesis })]).catch(
        (error: unknown) => error,
      ),
    );
    const endedDebates = await Promise.all(ends);
    expect(
      endedDebates.filter((endedDebate) => endedDebate instanceof LeaseLostError),
    ).toHaveLength(2);
    const published = await outboxOf(workspaceId);
    expect(published.map(({ type }) => type)).toEqual(['debate.synthesized']);
    const emitted = fromBinary(DebateSynthesizedSchema, published[0]!.payload);
    const debateId = leased.id;
    const writer = { fromTemplate: false, templateReason: '' };
    const metadata = { debateId, convergenceScore: 0.6667, rounds: 2, ...writer };
    expect(emitted).toMatchObject({ conversationId, synthesis, ...metadata });
  });

  it('stores the answers of a failed debate and publishes nothing', async () => {
    const { leased, workspaceId, conversationId } = await openDebate();
    await saveAll(leased, wholeDebate().slice(0, 5));
    const failure = { kind: 'provider_error', code: 'debate_failed', message: 'Too few.' };
    await replicas[0]!.debates.save(leased, [{ kind: 'failed', failure }]);
    expect(await eventsOf(leased, 10)).toEqual([
      { debateId: leased.id, seq: 11, roundNumber: 0, agentId: '', kind: 'failed', failure },
    ]);
    expect(await load(leased)).toMatchObject({ state: 'failed', failure, synthesis: undefined });
    expect(await outboxOf(workspaceId)).toEqual([]);
    const found = (await replicas[0]!.conversations.find(workspaceId, conversationId))!;
    const senders = found.messages.map(({ agentName, roundNumber }) => [agentName, roundNumber]);
    expect(senders).toEqual([
      ['', 0],
      ['ann', 1],
      ['bob', 1],
      ['bob', 2],
    ]);
    expect(found.conversation.messageCount).toBe(4);
    await beginNewDebate(replicas[0]!.debates, workspaceId, debateIn(conversationId));
  });

  it('stores a panel without conversation, messages and event', async () => {
    const workspaceId = newId('ws');
    const levers = [{ name: 'a', description: '', min: 0, max: 1, defaultValue: 0.1 }];
    const config = { ...CONFIG, levers };
    const panel = panelOf('sim_1', 'k', { config, briefing: 'b' });
    const leased = await beginNewDebate(replicas[0]!.debates, workspaceId, panel);
    expect(leased.conversationId).toBe('');
    await saveAll(leased);
    expect((await load(leased)).config).toEqual(config);
    expect((await eventsOf(leased)).at(-1)).toMatchObject({
      kind: 'done',
      rounds: [{ messageId: '' }, {}],
    });
    expect(await outboxOf(workspaceId)).toEqual([]);
    const messages = 'SELECT FROM conversation_message WHERE workspace_id = $1';
    expect(await database.query(messages, [workspaceId])).toEqual([]);
  });
});
