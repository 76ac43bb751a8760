import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fromBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import type { DebateEvent } from '../src/domain/debate/record/debate-event.ts';
import { LeaseLost } from '../src/domain/debate/record/debate-store.ts';
import type { LeasedDebate } from '../src/domain/debate/record/debate-store.ts';
import type { Synthesis } from '../src/domain/debate/debate.ts';
import type { Storage } from '../src/storage/open-storage.ts';
import { openMemories } from './open-memories.ts';
import type { TestMemories } from './open-memories.ts';
import {
  AGENTS,
  CONFIG,
  LEASE_MS,
  absent,
  answered,
  begin,
  createConversation,
  debateIn,
  framed,
  panelOf,
  roundCompleted,
  roundStarted,
  synthesized,
  wholeDebate,
} from './script-debate.ts';

describe('a debate that is kept', () => {
  let memories: TestMemories;
  let replicas: Storage[];
  beforeAll(async () => {
    memories = await openMemories();
    replicas = [memories.storage, await memories.openReplica()];
  });
  afterAll(async () => {
    await memories[Symbol.asyncDispose]();
  });

  const openDebate = async (leaseMs = LEASE_MS) => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(replicas[0]!, workspaceId);
    const debate = debateIn(conversationId);
    const held = await begin(replicas[0]!.debates, workspaceId, debate, leaseMs);
    return { workspaceId, conversationId, debate, held };
  };
  const saveAll = async (held: LeasedDebate, steps = wholeDebate()): Promise<DebateEvent[]> => {
    const told: DebateEvent[] = [];
    for (const step of steps) told.push(...(await replicas[0]!.debates.save(held, step)));
    return told;
  };
  const load = async ({ workspaceId, id }: LeasedDebate) =>
    (await replicas[1]!.debateArchive.load(workspaceId, id))!;
  const eventsOf = async ({ workspaceId, id }: LeasedDebate, afterSeq = 0) =>
    (await replicas[1]!.debateArchive.readEvents(workspaceId, id, afterSeq))!;
  const factsOf = (workspaceId: string) =>
    memories.query<{ type: string; payload: Buffer }>(
      'SELECT type, payload FROM outbox WHERE workspace_id = $1',
      [workspaceId],
    );
  /** Lets a lease end, as time does. */
  const expire = ({ id }: LeasedDebate) =>
    memories.query(`UPDATE debate SET due_at = now() - interval '1 ms' WHERE id = $1`, [id]);
  /** Another replica takes it; debates of other tests are not free. */
  const takeOver = async (held: LeasedDebate): Promise<LeasedDebate> => {
    await expire(held);
    // Nobody waits for a debate that is written at this moment.
    const taken = await eventually(() => replicas[1]!.debates.acquire(LEASE_MS));
    expect(taken).toMatchObject({ id: held.id, workspaceId: held.workspaceId });
    return taken;
  };

  it('is read as it was written, step by step', async () => {
    const { held, debate } = await openDebate();
    const { fingerprint: _, ...begun } = debate;
    const start = { ...begun, state: 'running', lastSeq: 1, rounds: [] };
    expect(await load(held)).toEqual(start);
    const [one, two, three] = wholeDebate();
    await saveAll(held, [one!, two!]);
    const { given } = answered(1, 'agt_bob');
    expect(await load(held)).toMatchObject({
      lastSeq: 4,
      frame: (framed as { frame: object }).frame,
      rounds: [],
      openRound: { roundNumber: 1, answers: [given.answer], absences: [] },
    });
    await saveAll(held, [three!, [roundCompleted(1, 1 / 3)]]);
    const stored = await load(held);
    expect(stored.openRound).toBeUndefined();
    const [round] = stored.rounds;
    expect(round!.convergenceScore).toBe(1 / 3);
    expect(round!.report).toStrictEqual({ ...round!.report, consensus: undefined });
    expect(round!.answers.map(({ agentId }) => agentId)).toEqual(['agt_ann', 'agt_bob']);
    expect(round!.answers[1]).toStrictEqual(given.answer);
    expect(Object.keys(round!.answers[1]!.levers)).toEqual(['zeta', 'alpha']);
    const away = { agentId: 'agt_cid', agentName: 'cid', reason: 'refused' };
    expect(round!.absences).toEqual([away]);
  });

  it('reads a synthesis of an older release, which knows no camps', async () => {
    const { held } = await openDebate();
    const older = { camps: undefined, withoutStance: undefined } as unknown as Synthesis;
    await saveAll(held, [...wholeDebate().slice(0, -1), [synthesized(older)]]);
    const { synthesis } = (await load(held)).synthesis!;
    expect(synthesis).toMatchObject({ camps: [], withoutStance: [] });
  });

  it('tells afterwards exactly what it told when it happened', async () => {
    const { held, debate, workspaceId, conversationId } = await openDebate();
    const told = await saveAll(held);
    const events = await eventsOf(held);
    expect(events[0]).toMatchObject({ kind: 'started', conversationId, agents: AGENTS });
    expect(events.slice(1)).toEqual(told);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place + 1));
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
    expect(await eventsOf(held, 13)).toEqual(told.slice(-2));
    expect(await eventsOf(held, 15)).toEqual([]);
    const found = (await replicas[1]!.conversations.find(workspaceId, conversationId))!;
    expect(told.at(-1)).toMatchObject({
      convergenceScore: 0.6667,
      messages: found.messages,
      rounds: found.rounds,
      // The frame, four answers that were given, the synthesis; not the one that was carried over.
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

  it('is written by nobody whose lease was taken over', async () => {
    const { held, workspaceId } = await openDebate();
    await saveAll(held, wholeDebate().slice(0, 2));
    const taken = await takeOver(held);
    expect(taken.attempts).toBe(2);
    expect(taken.lease).not.toBe(held.lease);
    const before = await load(held);
    const { debates } = replicas[0]!;
    const failure = { kind: 'k', code: 'c', message: 'm' };
    const steps = [
      ...wholeDebate().slice(2),
      [{ kind: 'failed' as const, failure }],
      [answered(1, 'agt_cid')],
      [],
    ];
    for (const step of steps) await expect(debates.save(held, step)).rejects.toThrow(LeaseLost);
    expect(await debates.renew(held, LEASE_MS)).toBe(false);
    await debates.release(held);
    expect(await load(held)).toEqual(before);
    expect(await factsOf(workspaceId)).toEqual([]);
    // What was answered before is not asked for again, and the rest goes on where it was.
    await saveAll(taken, wholeDebate().slice(2));
    expect((await load(taken)).state).toBe('synthesized');
    expect((await eventsOf(taken)).map(({ seq }) => seq)).toHaveLength(15);
  });

  it('stays with who renews, and is free at once when it was given back', async () => {
    const { held } = await openDebate(LEASE_MS);
    await expire(held);
    expect(await replicas[0]!.debates.renew(held, LEASE_MS)).toBe(true);
    expect(await replicas[1]!.debates.acquire(LEASE_MS)).toBeUndefined();
    await replicas[0]!.debates.release(held);
    const taken = (await replicas[1]!.debates.acquire(LEASE_MS))!;
    const { lease, leasedAt } = taken;
    expect(taken).toEqual({ ...held, lease, leasedAt, attempts: 1 });
    await saveAll(taken);
    await expire(taken);
    expect(await replicas[1]!.debates.acquire(LEASE_MS)).toBeUndefined();
  });

  it('is taken by one of many who look at once', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => openDebate()));
    for (const { held } of opened) await expire(held);
    const looks = Array.from({ length: 12 }, (_, n) => replicas[n % 2]!.debates.acquire(LEASE_MS));
    const taken = (await Promise.all(looks)).flatMap((held) => held?.id ?? []);
    // Who looks while another takes may find nothing, and looks again later.
    expect(new Set(taken).size).toBe(taken.length);
    const rest = [];
    for (let left = await replicas[0]!.debates.acquire(LEASE_MS); left;) {
      rest.push(left.id);
      left = await replicas[0]!.debates.acquire(LEASE_MS);
    }
    const ids = opened.map(({ held }) => held.id);
    expect([...taken, ...rest].toSorted()).toEqual(ids.toSorted());
  });

  it('has events without gaps and one answer an agent, whoever writes at once', async () => {
    const { held } = await openDebate();
    await saveAll(held, [[framed, roundStarted(1)]]);
    const ids = Array.from({ length: 12 }, (_, n) => `agt_${n}`);
    const writes = [...ids, ...ids].map((agentId, n) =>
      replicas[n % 2]!.debates.save(held, [answered(1, agentId, { position: `${n}` })]),
    );
    const told = (await Promise.all(writes)).flat();
    const events = await eventsOf(held, 3);
    expect(told.toSorted((one, other) => one.seq - other.seq)).toEqual(events);
    expect(events.map(({ seq }) => seq)).toEqual(ids.map((_, place) => place + 4));
    expect(new Set(events.map(({ agentId }) => agentId)).size).toBe(12);
    const { openRound } = await load(held);
    expect(openRound!.answers).toHaveLength(12);
    const late = [absent(1, 'agt_3', 'timeout'), answered(1, 'agt_3'), answered(1, 'agt_new')];
    const [event, ...rest] = await saveAll(held, [[...late, answered(1, 'agt_new')]]);
    expect([event!.agentId, event!.seq, rest]).toEqual(['agt_new', 16, []]);
    expect((await load(held)).openRound!.absences).toEqual([]);
  });

  it('is held by one of two runners who write at once, and paid for by one', async () => {
    const { held } = await openDebate();
    await saveAll(held, [[framed, roundStarted(1)]]);
    const [taken, ...late] = await Promise.all([
      takeOver(held),
      ...['agt_x', 'agt_y', 'agt_z'].map((agentId) =>
        replicas[0]!.debates.save(held, [answered(1, agentId)]).catch((error: unknown) => error),
      ),
    ]);
    const kept = late.filter(Array.isArray).length;
    const lost = late.filter((one) => one instanceof LeaseLost).length;
    expect(kept + lost).toBe(3);
    expect((await load(held)).openRound!.answers).toHaveLength(kept);
    await replicas[1]!.debates.save(taken, [answered(1, 'agt_y')]);
    const events = await eventsOf(held);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place + 1));
    expect(events.filter(({ agentId }) => agentId === 'agt_y')).toHaveLength(1);
  });

  it('tells the world once, in the transaction that keeps the synthesis', async () => {
    const { held, workspaceId, conversationId } = await openDebate();
    await saveAll(held, wholeDebate().slice(0, -1));
    expect(await factsOf(workspaceId)).toEqual([]);
    // A step that cannot be kept takes the synthesis with it, and its fact.
    const twice = [synthesized(), roundCompleted(2, 0.5)];
    await expect(replicas[0]!.debates.save(held, twice)).rejects.toMatchObject({ code: '23505' });
    expect(await factsOf(workspaceId)).toEqual([]);
    expect((await load(held)).state).toBe('running');
    const synthesis = 'We should.';
    const ends = [1, 2, 3].map((n) =>
      replicas[n % 2]!.debates.save(held, [synthesized({ content: synthesis })]).catch(
        (error: unknown) => error,
      ),
    );
    const ended = await Promise.all(ends);
    expect(ended.filter((one) => one instanceof LeaseLost)).toHaveLength(2);
    const facts = await factsOf(workspaceId);
    expect(facts.map(({ type }) => type)).toEqual(['debate.synthesized']);
    const told = fromBinary(DebateSynthesizedSchema, facts[0]!.payload);
    const debateId = held.id;
    const beside = { debateId, convergenceScore: 0.6667, rounds: 2 };
    expect(told).toMatchObject({ conversationId, synthesis, ...beside });
  });

  it('keeps what was said when it fails, and tells nobody', async () => {
    const { held, workspaceId, conversationId } = await openDebate();
    await saveAll(held, wholeDebate().slice(0, 5));
    const failure = { kind: 'provider_error', code: 'debate_failed', message: 'Too few.' };
    const [event] = await replicas[0]!.debates.save(held, [{ kind: 'failed', failure }]);
    expect(event).toEqual({
      debateId: held.id,
      seq: 11,
      roundNumber: 0,
      agentId: '',
      kind: 'failed',
      failure,
    });
    expect(await eventsOf(held, 10)).toEqual([event]);
    expect(await load(held)).toMatchObject({ state: 'failed', failure, synthesis: undefined });
    expect(await factsOf(workspaceId)).toEqual([]);
    const found = (await replicas[0]!.conversations.find(workspaceId, conversationId))!;
    const said = found.messages.map(({ agentName, roundNumber }) => [agentName, roundNumber]);
    expect(said).toEqual([
      ['', 0],
      ['ann', 1],
      ['bob', 1],
      ['bob', 2],
    ]);
    expect(found.conversation.messageCount).toBe(4);
    // The next message of the conversation begins a debate of its own.
    await begin(replicas[0]!.debates, workspaceId, debateIn(conversationId));
  });

  it('is a panel without conversation, message and fact', async () => {
    const workspaceId = newId('ws');
    const levers = [{ name: 'a', description: '', min: 0, max: 1, defaultValue: 0.1 }];
    const config = { ...CONFIG, levers };
    const panel = panelOf('sim_1', 'k', { config, briefing: 'b' });
    const held = await begin(replicas[0]!.debates, workspaceId, panel);
    expect(held.conversationId).toBe('');
    const told = await saveAll(held);
    expect((await eventsOf(held)).slice(1)).toEqual(told);
    expect((await load(held)).config).toEqual(config);
    expect(told.at(-1)).toMatchObject({ kind: 'done', rounds: [{ messageId: '' }, {}] });
    expect(await factsOf(workspaceId)).toEqual([]);
    const messages = 'SELECT FROM conversation_message WHERE workspace_id = $1';
    expect(await memories.query(messages, [workspaceId])).toEqual([]);
  });
});
