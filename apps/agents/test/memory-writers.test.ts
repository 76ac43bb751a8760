import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import type { Storage } from '../src/open-storage.ts';
import { acceptedMemory, openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';

const WRITERS = 50;

describe('concurrent writers of memories', () => {
  let database: TestStorage;
  let replicas: Storage[];
  beforeAll(async () => {
    database = await openTestStorage();
    replicas = [database.storage, await database.openReplica()];
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const forEachWriter = <T>(work: (n: number, replica: Storage) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: WRITERS }, (_, n) => work(n, replicas[n % 2]!)));
  /** Returns the values of all memories and of their revisions. */
  const valuesOf = async (workspaceId: string) => {
    const rows = await database.query<{ id: string; values: string[]; revision: number }>(
      `SELECT id, revision, array(
         SELECT value FROM memory_revision WHERE memory_id = memory.id ORDER BY revision
       ) || value AS values FROM memory WHERE workspace_id = $1`,
      [workspaceId],
    );
    return rows;
  };
  const expected = Array.from({ length: WRITERS }, (_, n) => `value ${n}`);

  it.each([
    ['an agent', false],
    ['a workspace', true],
  ])(
    'store one row per key of %s, and the replaced values as revisions',
    async (_name, isGlobal) => {
      const { workspaceId, agentId } = await database.createOwner();
      const agents = isGlobal
        ? await forEachWriter(async () => (await database.createOwner(workspaceId)).agentId)
        : [agentId];
      await forEachWriter((n, replica) => {
        const tag = acceptedMemory(n % 2 ? 'City' : 'city', `value ${n}`, { isGlobal });
        const owner = { workspaceId, agentId: agents[n % agents.length]! };
        return n % 3 === 0
          ? replica.memories.save(owner, [{ ...tag, id: newId('mem') }], 2_000)
          : replica.saveMemories(workspaceId, {
              agentId: owner.agentId,
              memories: [tag],
              shownMemories: [],
            });
      });
      const rows = await valuesOf(workspaceId);
      expect(rows).toMatchObject([{ revision: WRITERS }]);
      expect(rows[0]!.values.toSorted()).toEqual(expected.toSorted());
      const gaps = await database.query(
        `SELECT FROM memory_revision AS one JOIN memory_revision AS next
         ON next.memory_id = one.memory_id AND next.revision = one.revision + 1
       WHERE one.memory_id = $1 AND one.valid_to <> next.valid_from`,
        [rows[0]!.id],
      );
      expect(gaps).toEqual([]);
    },
  );

  it('do not deadlock, in any order of writing, using and deleting shared memories', async () => {
    const { workspaceId } = await database.createOwner();
    const agents = await Promise.all(
      Array.from({ length: 3 }, async () => (await database.createOwner(workspaceId)).agentId),
    );
    const keys = Array.from({ length: 12 }, (_, n) => `key ${n}`);
    for (let round = 0; round < 2; round += 1) {
      await database.query(`UPDATE memory SET used_at = 'epoch' WHERE workspace_id = $1`, [
        workspaceId,
      ]);
      await forEachWriter(async (n, replica) => {
        const agentId = agents[n % agents.length]!;
        const recalled = await replica.recall.all(workspaceId, agentId);
        const shownMemories = recalled.visibleTo({ staysLocal: false });
        const rotated = [...keys.slice(n % 12), ...keys.slice(0, n % 12)];
        const memories = (n % 2 ? rotated : rotated.toReversed()).map((key, index) =>
          acceptedMemory(key, `value ${n}`, { isGlobal: (n + index) % 3 === 0 }),
        );
        await replica.saveMemories(workspaceId, { agentId, memories, shownMemories });
        const [replacedMemory] = shownMemories;
        if (n % 5 === 0 && replacedMemory)
          await replica.memories.delete({ workspaceId, agentId }, replacedMemory.id);
      });
    }
    const [row] = await database.query(
      `SELECT count(*)::int AS rows, count(DISTINCT (agent_id, key_norm))::int AS keys
       FROM memory WHERE workspace_id = $1`,
      [workspaceId],
    );
    expect(row!['rows']).toBe(row!['keys']);
    expect(row!['rows']).toBeLessThanOrEqual(48);
  });

  it('do not exceed the limit of memories', async () => {
    const owner = await database.createOwner();
    const results = await Promise.allSettled(
      Array.from({ length: WRITERS }, (_, n) =>
        replicas[n % 2]!.memories.save(
          owner,
          [{ ...acceptedMemory(`k${n}`, 'v'), id: newId('mem') }],
          20,
        ),
      ),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(WRITERS - 20);
    for (const item of refused) {
      expect(item).toMatchObject({ reason: { fields: { code: 'memory_limit_reached' } } });
    }
    expect(await valuesOf(owner.workspaceId)).toHaveLength(20);
  });

  it('either fail or lose their memories if the agent is deleted', async () => {
    const { workspaceId, agentId } = await database.createOwner();
    const results = await Promise.allSettled([
      ...Array.from({ length: 10 }, (_, n) =>
        replicas[n % 2]!.saveMemories(workspaceId, {
          agentId,
          memories: [acceptedMemory(`k${n}`, 'v')],
          shownMemories: [],
        }),
      ),
      replicas[1]!.agents.delete(workspaceId, agentId),
    ]);
    const failures = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    expect(failures.map(({ reason }) => reason)).toEqual(failures.map(() => 'NOT_FOUND'));
    expect(await valuesOf(workspaceId)).toEqual([]);
  });
});
