import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, createSecretCipher, newId, SCOPE_SETTING } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import type { Claim, Claimed, IdempotencyRecords, Wanted } from '../domain/idempotency/records.ts';
import { createIdempotencyStore } from './idempotency-store.ts';
import { openStorage } from './open-storage.ts';

const RESPONSE = {
  status: 201,
  headers: { 'content-type': 'application/json', 'x-service-proof': 'pf_x' },
  body: Buffer.from('{"said":"a very particular answer"}'),
};
const LEASE_MS = 60_000;

describe('the idempotency records', () => {
  let database: TestDatabase;
  let storage: Database;
  let records: IdempotencyRecords;
  let client: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    database = await createTestDatabase(['api-gateway']);
    const url = database.urls['api-gateway']!;
    storage = await openStorage(url, createLog({ service: 'test', level: 'silent' }));
    records = createIdempotencyStore(storage, newCipher());
    client = await connect(storage);
  });
  afterAll(async () => {
    client.release();
    await storage[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const want = (change: Partial<Wanted> = {}): Wanted => ({
    workspaceId: newId('ws'),
    key: 'key-1',
    requestHash: 'a'.repeat(64),
    claimId: newId('idm'),
    proofId: newId('pf'),
    leaseMs: LEASE_MS,
    ...change,
  });
  const again = (wanted: Wanted): Wanted => ({
    ...wanted,
    claimId: newId('idm'),
    proofId: newId('pf'),
  });
  const claim = async (wanted: Wanted): Promise<Claim> => toClaim(await records.claim(wanted));
  const change = async ({ workspaceId }: Wanted, sql: string): Promise<void> => {
    await scoped(workspaceId, `UPDATE idempotency_record SET ${sql}`, true);
  };
  const scoped = async (scope: string | undefined, sql: string, isCommitted = false) => {
    await client.query('BEGIN');
    try {
      if (scope !== undefined) {
        await client.query('SELECT set_config($1, $2, true)', [SCOPE_SETTING, scope]);
      }
      return await client.query<Record<string, unknown>>(sql);
    } finally {
      await client.query(isCommitted ? 'COMMIT' : 'ROLLBACK');
    }
  };

  it('decrypt with an older secrets key while both are configured', async () => {
    const [old, young] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'));
    const storeWith = (keys: string) => createIdempotencyStore(storage, createSecretCipher(keys));
    const wanted = want();
    await storeWith(old!).finish(await claim(wanted), RESPONSE);
    const read = await storeWith(`${young},${old}`).claim(again(wanted));
    expect(read).toMatchObject({ kind: 'answered', response: RESPONSE });
    const { proofId } = wanted;
    expect(await storeWith(young!).claim(again(wanted))).toEqual({ kind: 'unreadable', proofId });
  });

  it('give a call to exactly one of many that claim it at once', async () => {
    const wanted = want();
    const all = await Promise.all(Array.from({ length: 20 }, () => records.claim(again(wanted))));
    const kinds = all.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['claimed', ...Array.from({ length: 19 }, () => 'running')]);
  });

  it('replay a stored response, byte for byte, to the same call', async () => {
    const wanted = want();
    const mine = await claim(wanted);
    expect(mine).toEqual({
      workspaceId: wanted.workspaceId,
      key: wanted.key,
      claimId: wanted.claimId,
      proofId: wanted.proofId,
      isFresh: true,
    });
    expect(await records.finish(mine, RESPONSE)).toBe(true);
    for (const one of [wanted, again(wanted)]) {
      expect(await records.claim(one)).toEqual({ kind: 'answered', response: RESPONSE });
    }
  });

  it('report a response that could not be stored as lost', async () => {
    const wanted = want();
    const mine = await claim(wanted);
    await records.lose(mine);
    for (const one of [wanted, again(wanted)]) {
      expect(await records.claim(one)).toEqual({ kind: 'unreadable', proofId: wanted.proofId });
    }
  });

  it('refuse a different call with a used key, running or done', async () => {
    const wanted = want();
    const other = { ...again(wanted), requestHash: 'b'.repeat(64) };
    const mine = await claim(wanted);
    expect(await records.claim(other)).toEqual({ kind: 'reused' });
    await records.finish(mine, RESPONSE);
    expect(await records.claim(other)).toEqual({ kind: 'reused' });
  });

  it('separate the keys of workspaces', async () => {
    const wanted = want();
    await records.finish(await claim(wanted), RESPONSE);
    expect(await records.claim({ ...again(wanted), workspaceId: newId('ws') })).toMatchObject({
      kind: 'claimed',
    });
  });

  it('allow a new claim of a forgotten call, with a new proof id', async () => {
    const wanted = want();
    await records.forget(await claim(wanted));
    const next = again(wanted);
    expect(await claim(next)).toMatchObject({ proofId: next.proofId });
  });

  it.each<[string, (mine: Claim, wanted: Wanted) => Promise<void>]>([
    ['after its lease', (_mine, wanted) => change(wanted, "lease_until = now() - interval '1 s'")],
    ['once released', (mine) => records.release(mine)],
  ])('let a call be taken over %s, under its proof id, once', async (_name, end) => {
    const wanted = want();
    const first = await claim(wanted);
    expect(await records.claim(again(wanted))).toEqual({ kind: 'running' });
    await end(first, wanted);
    const other = { ...again(wanted), requestHash: 'b'.repeat(64) };
    expect(await records.claim(other)).toEqual({ kind: 'reused' });
    const all = await Promise.all(Array.from({ length: 5 }, () => records.claim(again(wanted))));
    const won = all.filter(({ kind }) => kind === 'claimed').map(toClaim);
    expect(won).toEqual([expect.objectContaining({ proofId: wanted.proofId })]);
    expect(await records.finish(first, RESPONSE)).toBe(false);
    await records.forget(first);
    await records.release(first);
    expect(await records.claim(again(wanted))).toEqual({ kind: 'running' });
    expect(await records.finish(won[0]!, RESPONSE)).toBe(true);
  });

  it('allow a key to be reused after 24 h, for any call', async () => {
    const wanted = want();
    await records.finish(await claim(wanted), RESPONSE);
    const { rows } = await scoped(
      wanted.workspaceId,
      'SELECT extract(epoch FROM expires_at - created_at)::int AS life FROM idempotency_record',
    );
    expect(rows).toEqual([{ life: 24 * 3_600 }]);
    await change(wanted, "expires_at = now() - interval '1 s'");
    const next = { ...again(wanted), requestHash: 'b'.repeat(64) };
    expect(await claim(next)).toMatchObject({ proofId: next.proofId });
    expect(await records.claim(again(next))).toEqual({ kind: 'running' });
  });

  it('contain no readable response without the secrets key', async () => {
    const wanted = want();
    await records.finish(await claim(wanted), RESPONSE);
    const { rows } = await scoped(wanted.workspaceId, 'SELECT * FROM idempotency_record');
    expect(JSON.stringify(rows)).not.toMatch(/particular|content-type/);
    const stranger = createIdempotencyStore(storage, newCipher());
    expect(await stranger.claim(again(wanted))).toEqual({
      kind: 'unreadable',
      proofId: wanted.proofId,
    });
  });

  it('are deleted when their time is over, in batches, by any number of replicas', async () => {
    const over = Array.from({ length: 7 }, () => want());
    for (const one of over) await records.finish(await claim(one), RESPONSE);
    for (const one of over) await change(one, "expires_at = now() - interval '1 s'");
    const [stored, running] = [want(), want()];
    await records.finish(await claim(stored), RESPONSE);
    await claim(running);
    await change(running, "expires_at = now() - interval '1 s'");
    expect(await records.deleteExpired(3)).toBe(3);
    const counts = await Promise.all([records.deleteExpired(10), records.deleteExpired(10)]);
    expect(counts[0] + counts[1]).toBe(4);
    expect(await records.deleteExpired(10)).toBe(0);
    expect((await records.claim(again(stored))).kind).toBe('answered');
    // The owner of the expired claim may still finish it.
    expect((await records.claim(again(running))).kind).toBe('running');
  });

  it('are protected by row-level security', async () => {
    const [mine, theirs] = [want(), want()];
    for (const one of [mine, theirs]) await claim(one);
    const select = 'SELECT workspace_id FROM idempotency_record';
    expect((await scoped(undefined, select)).rows).toEqual([]);
    expect((await scoped('', select)).rows).toEqual([]);
    const { rows } = await scoped(mine.workspaceId, select);
    expect(rows).toEqual([{ workspace_id: mine.workspaceId }]);
    const insert = `INSERT INTO idempotency_record SELECT '${theirs.workspaceId}', 'forged',
      repeat('a', 64), 'running', 'idm_1', 'pf_1', NULL, NULL, now(), now(), now()`;
    for (const scope of [undefined, mine.workspaceId]) {
      await expect(scoped(scope, insert)).rejects.toThrow('row-level security');
    }
    const remove = await scoped(mine.workspaceId, 'DELETE FROM idempotency_record');
    expect(remove.rowCount).toBe(1);
  });
});

const connect = ({ pool }: Database) => pool.connect();

const newCipher = () => createSecretCipher(randomBytes(32).toString('base64'));

const toClaim = (claimed: Claimed): Claim => {
  if (claimed.kind !== 'claimed') throw new Error(`The call is ${claimed.kind}.`);
  return claimed.claim;
};
