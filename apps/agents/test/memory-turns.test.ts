import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acceptedMemory, openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';

type Owner = { workspaceId: string; agentId: string };

describe('memories of turns', () => {
  let database: TestStorage;
  beforeAll(async () => {
    database = await openTestStorage();
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const recall = async ({ workspaceId, agentId }: Owner, staysLocal = false) => {
    const found = await database.storage.recall.all(workspaceId, agentId);
    return found
      .visibleTo({ staysLocal })
      .toSorted((one, other) => (one.keyNorm < other.keyNorm ? -1 : 1));
  };
  const valuesOf = async (owner: Owner) => (await recall(owner)).map(({ value }) => value);
  const save = (
    { workspaceId, agentId }: Owner,
    tags: ReturnType<typeof acceptedMemory>[],
    shownMemories: Awaited<ReturnType<typeof recall>> = [],
  ) => database.storage.saveMemories(workspaceId, { agentId, memories: tags, shownMemories });
  const addMemories = (owner: Owner, tags: ReturnType<typeof acceptedMemory>[]) => {
    const drafts = tags.map((tag, n) => ({ ...tag, id: `mem_${n}_${owner.agentId}` }));
    return database.storage.memories.save(owner, drafts, 2_000);
  };
  const revisionsOf = (id: string) =>
    database.query(
      `SELECT revision, key, value, type, origin, valid_from, valid_to FROM memory_revision
       WHERE memory_id = $1 ORDER BY revision`,
      [id],
    );

  const LOCAL = { isLocalOnly: true };
  const keysOf = async (owner: Owner, staysLocal: boolean) =>
    (await recall(owner, staysLocal)).map(({ key }) => key);

  it('that are local-only are not shown to other calls and hide no global memory from them', async () => {
    const owner = await database.createOwner();
    const other = await database.createOwner(owner.workspaceId);
    await save(owner, [acceptedMemory('plan', 'public', { isGlobal: true })]);
    await save(owner, [
      acceptedMemory('plan', 'secret', LOCAL),
      acceptedMemory('merger', 'secret', { ...LOCAL, isGlobal: true }),
    ]);
    expect(await keysOf(owner, false)).toEqual(['plan']);
    expect(await valuesOf(owner)).toEqual(['public']);
    expect(await keysOf(owner, true)).toEqual(['merger', 'plan']);
    expect(await keysOf(other, true)).toEqual(['merger', 'plan']);
    expect(await keysOf(other, false)).toEqual(['plan']);
  });

  it.each([
    ['retain a mark that every source has', { isTainted: true, ...LOCAL }, 'v', true],
    ['lose a mark if an unmarked source writes the same value', {}, 'v', false],
    ['lose a mark if an unmarked source writes another value', {}, 'w', false],
  ])('%s', async (_name, marks, value, isMarked) => {
    const owner = await database.createOwner();
    await save(owner, [acceptedMemory('k', 'v', { isTainted: true, ...LOCAL })]);
    await save(owner, [acceptedMemory('k', value, marks)]);
    const expectedMarks = { isTainted: isMarked, isLocalOnly: isMarked };
    expect(await recall(owner, true)).toMatchObject([{ value, ...expectedMarks }]);
  });

  it('are recalled unchanged, with their origin and session', async () => {
    const owner = await database.createOwner();
    const { workspaceId, agentId } = owner;
    const sessionId = 'ses_1';
    await database.storage.sessions.saveTurn(workspaceId, {
      agentId,
      agentName: 'Ann',
      sessionId,
      newTitle: 'Chat with Ann',
      question: 'q',
      answer: 'a',
      proofIds: [],
      memories: [
        acceptedMemory('City', 'Berlin'),
        acceptedMemory('tone', 'brief', { type: 'preference' }),
      ],
      shownMemories: [],
      isLocalOnly: false,
      isTainted: false,
    });
    await addMemories(owner, [acceptedMemory('plan', 'grow', { type: 'goal' })]);
    const common = { isGlobal: false, importance: 0.5 };
    const provenance = { origin: 'tag', sessionId };
    expect(await recall(owner)).toMatchObject([
      { key: 'City', keyNorm: 'city', type: 'fact', value: 'Berlin', ...common, ...provenance },
      { keyNorm: 'plan', type: 'goal', value: 'grow', ...common, origin: 'api', sessionId: null },
      { keyNorm: 'tone', type: 'preference', value: 'brief', ...common, ...provenance },
    ]);
    for (const { updatedAt, lastUsedAt } of await recall(owner)) {
      expect(Math.abs(Date.now() - updatedAt.getTime())).toBeLessThan(60_000);
      expect(lastUsedAt).toEqual(updatedAt);
    }
  });

  it('are returned in the order of the tags, even if unchanged', async () => {
    const owner = await database.createOwner();
    await save(owner, [acceptedMemory('b', '1')]);
    const saved = await save(owner, [
      acceptedMemory('c', '1', { isGlobal: true }),
      acceptedMemory('b', '1'),
      acceptedMemory('a', '1'),
    ]);
    expect(saved.map(({ key }) => key)).toEqual(['c', 'b', 'a']);
  });

  it('add a revision only if the value changes', async () => {
    const owner = await database.createOwner();
    const [first] = (await addMemories(owner, [acceptedMemory('city', 'Berlin')]))!;
    const [used] = await database.query(
      `UPDATE memory SET used_at = used_at - interval '1 minute' WHERE id = $1 RETURNING used_at`,
      [first!.id],
    );
    const [same] = await save(owner, [acceptedMemory('CITY', 'Berlin')]);
    expect(same).toMatchObject({ key: 'city', origin: 'api', updatedAt: first!.updatedAt });
    expect(same!.lastUsedAt).not.toEqual(used!['used_at']);
    expect(await revisionsOf(first!.id)).toEqual([]);

    const [second] = await save(owner, [acceptedMemory('CITY', 'Oslo')]);
    const [third] = await save(owner, [acceptedMemory('city', 'Oslo', { type: 'note' })]);
    expect(third).toMatchObject({ id: first!.id, type: 'note', origin: 'tag' });
    const rows = await revisionsOf(first!.id);
    expect(rows).toMatchObject([
      { revision: 1, key: 'city', value: 'Berlin', type: 'fact', origin: 'api' },
      { revision: 2, key: 'CITY', value: 'Oslo', type: 'fact', origin: 'tag' },
    ]);
    // Each revision is valid until the next one begins, without a gap.
    expect(rows.map((row) => [row['valid_from'], row['valid_to']])).toEqual([
      [first!.updatedAt, second!.updatedAt],
      [second!.updatedAt, third!.updatedAt],
    ]);
  });

  it('retain the last 100 revisions', async () => {
    const owner = await database.createOwner();
    const [saved] = await save(owner, [acceptedMemory('counter', '103')]);
    const { id } = saved!;
    await database.query(`UPDATE memory SET revision = 103 WHERE id = $1`, [id]);
    await database.query(
      `INSERT INTO memory_revision (memory_id, workspace_id, revision, key, value, type, origin,
         valid_from)
       SELECT $1, $2, n, 'counter', n::text, 'fact', 'tag', now()
       FROM generate_series(1, 102) AS n`,
      [id, owner.workspaceId],
    );
    await save(owner, [acceptedMemory('counter', '104')]);
    const values = (await revisionsOf(id)).map((row) => row['value']);
    expect([values.length, values[0], values.at(-1)]).toEqual([100, '4', '103']);
  });

  it('hide a global memory of the same key from their own agent only', async () => {
    const owner = await database.createOwner();
    const other = await database.createOwner(owner.workspaceId);
    const stranger = await database.createOwner();
    await save(owner, [
      acceptedMemory('city', 'Berlin', { isGlobal: true }),
      acceptedMemory('tone', 'brief'),
    ]);
    await save(owner, [acceptedMemory('City', 'Oslo')]);
    await save(other, [acceptedMemory('zone', 'CET', { isGlobal: true })]);
    await save(stranger, [acceptedMemory('city', 'Rome', { isGlobal: true })]);
    expect(await valuesOf(owner)).toEqual(['Oslo', 'brief', 'CET']);
    expect(await valuesOf(other)).toEqual(['Berlin', 'CET']);
    expect(await valuesOf(stranger)).toEqual(['Rome']);
  });

  it('cannot be read or written in another workspace', async () => {
    const owner = await database.createOwner();
    const stranger = await database.createOwner();
    await save(owner, [acceptedMemory('city', 'Berlin')]);
    const foreignOwner = { workspaceId: stranger.workspaceId, agentId: owner.agentId };
    expect(await valuesOf(foreignOwner)).toEqual([]);
    await expect(save(foreignOwner, [acceptedMemory('city', 'x')])).rejects.toMatchObject({
      reason: 'NOT_FOUND',
    });
    const ownMemories = await recall(owner);
    await database.query(`UPDATE memory SET used_at = now() - interval '2 hours' WHERE id = $1`, [
      ownMemories[0]!.id,
    ]);
    await save(stranger, [], await recall(owner));
    const [after] = await recall(owner);
    expect(after!.lastUsedAt.getTime()).toBeLessThan(Date.now() - 3_600_000);
  });

  it('are marked as used at most once per hour', async () => {
    const owner = await database.createOwner();
    await save(owner, [
      acceptedMemory('a', '1'),
      acceptedMemory('b', '1'),
      acceptedMemory('c', '1'),
    ]);
    const age = (key: string, minutes: number) =>
      database.query(
        `UPDATE memory SET used_at = now() - make_interval(mins => $2), updated_at = 'epoch'
         WHERE agent_id = $1 AND key = $3`,
        [owner.agentId, minutes, key],
      );
    for (const [key, minutes] of [
      ['a', 61],
      ['b', 59],
      ['c', 61],
    ] as const)
      await age(key, minutes);
    const before = await recall(owner);
    await save(owner, [], before.slice(0, 2));
    const after = await recall(owner);
    expect(after.map(({ lastUsedAt }, n) => +lastUsedAt > +before[n]!.lastUsedAt)).toEqual([
      true,
      false,
      false,
    ]);
    expect(after.map(({ updatedAt }) => +updatedAt)).toEqual([0, 0, 0]);
  });

  it('evict the least recently used notes of agents if the scope is full', async () => {
    const owner = await database.createOwner();
    await database.query(
      `INSERT INTO memory (id, workspace_id, agent_id, key, key_norm, value, type, origin, used_at)
       SELECT 'mem_' || $2 || n, $1, $2, 'k' || n, 'k' || n, 'v', CASE WHEN n <= 5 THEN 'note'
         ELSE 'fact' END, CASE WHEN n = 1 THEN 'api' ELSE 'tag' END,
         now() - make_interval(hours => 10 - n % 7)
       FROM generate_series(1, 2000) AS n`,
      [owner.workspaceId, owner.agentId],
    );
    // The notes that agents wrote are k2, k3, k4 and k5, least recently used first. The drafts
    // contain k3, so k2 and k4 are evicted for n1 and n2.
    const first = ['k3', 'n1', 'n2', 'k9'].map((key) =>
      acceptedMemory(key, 'new', { type: 'note' }),
    );
    expect((await save(owner, first)).map(({ key }) => key)).toEqual(['k3', 'n1', 'n2', 'k9']);
    const left = async () =>
      (await recall(owner)).map(({ key }) => key).filter((key) => /^(n\d|k[1-5])$/.test(key));
    expect(await left()).toEqual(['k1', 'k3', 'k5', 'n1', 'n2']);
    // Evicts k5 and then n1, n2, k3 and k9, which are notes now. No other memory can be evicted, so
    // one of the seven drafts is dropped.
    const second = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'k1'].map((key) =>
      acceptedMemory(key, 'new'),
    );
    const saved = await save(owner, second);
    expect(saved.map(({ key }) => key)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'k1']);
    expect(await left()).toEqual(['k1']);
    expect(await recall(owner)).toHaveLength(2_000);
  });
});
