import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import type { Keys, CreatedKey, NewKey } from '../keys.ts';
import { createKeys, createWorkspace, findKey, listKeys } from './key-store.ts';
import { saveKeyUses } from './key-directory.ts';
import { openStorage } from '../../open-storage.ts';

const HOUR_MS = 3_600_000;
const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

describe('stored keys', () => {
  let test: TestDatabase;
  let database: Database;
  let keys: Keys;
  beforeAll(async () => {
    test = await createTestDatabase(['api-gateway']);
    const log = createLog({ service: 'test', level: 'silent' });
    database = await openStorage(test.urls['api-gateway']!, log);
    keys = createKeys(database);
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const open = async () => {
    const owner = await createWorkspace(database, 'test');
    const { workspaceId } = owner;
    const create = (more: Partial<NewKey> = {}): Promise<CreatedKey> =>
      keys.create({ ...owner, name: 'one', scopes: ['gateway'], actor: 'test', ...more });
    const auditOf = (): Promise<unknown[]> =>
      database.scoped(workspaceScope(workspaceId), async (em) => {
        const rows = await em.execute<Record<string, string | null>[]>(
          'SELECT action, subject, actor, detail FROM audit ORDER BY at, action',
        );
        return rows.map(({ action, subject, actor, detail }) => [action, subject, actor, detail]);
      });
    return { workspaceId, create, auditOf };
  };
  const stored = ({ prefix }: CreatedKey) => findKey(database, prefix.slice('sk_live_'.length));

  it('are paged, newest first, even if created in the same millisecond', async () => {
    const { workspaceId, create } = await open();
    await (await open()).create();
    const created = await Promise.all(Array.from({ length: 7 }, () => create()));
    const all = (await keys.list(workspaceId, { limit: 100 }))!.map(({ id }) => id);
    expect(all.toSorted()).toEqual(created.map(({ id }) => id).toSorted());
    const pages: string[] = [];
    for (let after: string | undefined; pages.length < all.length; after = pages.at(-1)) {
      const page = { limit: 3, ...(after === undefined ? {} : { after }) };
      const found = await keys.list(workspaceId, page);
      expect(found!.length).toBeGreaterThan(0);
      pages.push(...found!.map(({ id }) => id));
    }
    expect(pages).toEqual(all);
    expect(await keys.list(workspaceId, { limit: 3, after: all.at(-1)! })).toEqual([]);
  });

  it('have no page after a key of another workspace', async () => {
    const { workspaceId } = await open();
    const foreign = await (await open()).create();
    expect(await keys.list(workspaceId, { limit: 3, after: foreign.id })).toBeUndefined();
  });

  it('are rotated with the same properties, and the audit names the successor', async () => {
    const { workspaceId, create, auditOf } = await open();
    const expiresAt = inHours(48);
    const rotatedKey = await create({ expiresAt, scopes: ['gateway', 'keys'] });
    const graceUntil = inHours(24);
    const plan = () => ({ graceUntil });
    const fresh = (await keys.rotate(workspaceId, { id: rotatedKey.id, actor: 'key_x', plan }))!;
    expect(fresh).toMatchObject({ name: 'one', scopes: ['gateway', 'keys'], expiresAt });
    expect(await stored(rotatedKey)).toMatchObject({ expiresAt: graceUntil, revokedAt: null });
    expect(await stored(fresh)).toMatchObject({
      expiresAt,
      userId: (await stored(rotatedKey))!.userId,
    });
    expect(await auditOf()).toEqual([
      ['key.created', rotatedKey.id, 'test', null],
      ['key.created', fresh.id, 'key_x', null],
      ['key.rotated', rotatedKey.id, 'key_x', fresh.id],
    ]);
  });

  it('inherit the expiry of the key, not the end of its grace period', async () => {
    const { workspaceId, create } = await open();
    const rotatedKey = await create();
    const rotate = () =>
      keys.rotate(workspaceId, {
        id: rotatedKey.id,
        actor: 'test',
        plan: () => ({ graceUntil: inHours(24) }),
      });
    await rotate();
    // A client that did not get the response of the first rotation rotates the same key again.
    expect(await rotate()).toMatchObject({ expiresAt: null });
  });

  it('are unchanged by a refused rotation', async () => {
    const { workspaceId, create, auditOf } = await open();
    const rotatedKey = await create();
    const rotation = keys.rotate(workspaceId, {
      id: rotatedKey.id,
      actor: 'test',
      plan: () => {
        throw new Error('no');
      },
    });
    await expect(rotation).rejects.toThrow('no');
    expect(await keys.list(workspaceId, { limit: 9 })).toHaveLength(1);
    expect(await auditOf()).toHaveLength(1);
  });

  it('are rotated by one of several concurrent rotations, and the others see it', async () => {
    const { workspaceId, create } = await open();
    const { id } = await create();
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        let wasRevoked = false;
        await keys.rotate(workspaceId, {
          id,
          actor: 'test',
          plan: ({ revokedAt }) => {
            wasRevoked = revokedAt !== null;
            return { revokedAt: new Date() };
          },
        });
        return wasRevoked;
      }),
    );
    expect(outcomes.filter((wasRevoked) => !wasRevoked)).toHaveLength(1);
  });

  it('are revoked once, and only by their workspace', async () => {
    const { workspaceId, create, auditOf } = await open();
    const key = await create();
    const other = await open();
    const change = { id: key.id, actor: 'test' };
    expect(await keys.revoke(other.workspaceId, change)).toBe(false);
    const plan = () => ({ revokedAt: new Date() });
    expect(await keys.rotate(other.workspaceId, { ...change, plan })).toBeUndefined();
    const answers = await Promise.all([1, 2, 3].map(() => keys.revoke(workspaceId, change)));
    expect(answers).toEqual([true, true, true]);
    expect((await auditOf()).slice(1)).toEqual([['key.revoked', key.id, 'test', null]]);
  });

  it('store their last use, which never decreases', async () => {
    const { workspaceId, create } = await open();
    const [used, unused] = [await create(), await create()];
    const [noon, later] = [new Date('2026-06-01T12:00:00Z'), new Date('2026-06-01T12:01:00Z')];
    for (const at of [noon, later, noon]) {
      await saveKeyUses(
        database,
        new Map([
          [used.id, at],
          ['key_unknown', at],
        ]),
      );
    }
    const listed = await listKeys(database, workspaceScope(workspaceId));
    const lastUsed = new Map(listed.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    expect([lastUsed.get(used.id), lastUsed.get(unused.id)]).toEqual([later, null]);
  });

  it('are not written twice for the same minute', async () => {
    const { workspaceId, create } = await open();
    const { id } = await create();
    const versionOf = (): Promise<unknown> =>
      database.scoped(workspaceScope(workspaceId), (em) =>
        em.execute('SELECT xmin::text FROM api_key WHERE id = ?', [id]),
      );
    await saveKeyUses(database, new Map([[id, new Date('2026-06-01T12:00:00Z')]]));
    const before = await versionOf();
    await saveKeyUses(database, new Map([[id, new Date('2026-06-01T12:00:00Z')]]));
    expect(await versionOf()).toEqual(before);
  });
});
