import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, createSecretCipher, newId, SCOPE_SETTING } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import type { Claim, ClaimResult, IdempotencyRecords, ClaimRequest } from '../records.ts';
import { createIdempotencyStore } from './idempotency-store.ts';
import { openStorage } from '../../open-storage.ts';

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

  const makeClaimRequest = (change: Partial<ClaimRequest> = {}): ClaimRequest => ({
    workspaceId: newId('ws'),
    key: 'key-1',
    requestHash: 'a'.repeat(64),
    claimId: newId('idm'),
    proofId: newId('pf'),
    leaseMs: LEASE_MS,
    ...change,
  });
  const retryOf = (claimRequest: ClaimRequest): ClaimRequest => ({
    ...claimRequest,
    claimId: newId('idm'),
    proofId: newId('pf'),
  });
  const claim = async (claimRequest: ClaimRequest): Promise<Claim> =>
    toClaim(await records.claim(claimRequest));
  const change = async ({ workspaceId }: ClaimRequest, sql: string): Promise<void> => {
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
    const [oldSecret, newSecret] = [randomBytes(32), randomBytes(32)].map((key) =>
      key.toString('base64'),
    );
    const storeWith = (keys: string) => createIdempotencyStore(storage, createSecretCipher(keys));
    const claimRequest = makeClaimRequest();
    await storeWith(oldSecret!).finish(await claim(claimRequest), RESPONSE);
    const read = await storeWith(`${newSecret},${oldSecret}`).claim(retryOf(claimRequest));
    expect(read).toMatchObject({ kind: 'stored', response: RESPONSE });
    const { proofId } = claimRequest;
    expect(await storeWith(newSecret!).claim(retryOf(claimRequest))).toEqual({
      kind: 'unreadable',
      proofId,
    });
  });

  it('grant exactly one of many concurrent claims', async () => {
    const claimRequest = makeClaimRequest();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => records.claim(retryOf(claimRequest))),
    );
    const kinds = all.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['claimed', ...Array.from({ length: 19 }, () => 'running')]);
  });

  it('replay a stored response, byte for byte, to the same call', async () => {
    const claimRequest = makeClaimRequest();
    const ownClaim = await claim(claimRequest);
    expect(ownClaim).toEqual({
      workspaceId: claimRequest.workspaceId,
      key: claimRequest.key,
      claimId: claimRequest.claimId,
      proofId: claimRequest.proofId,
      isFresh: true,
    });
    expect(await records.finish(ownClaim, RESPONSE)).toBe(true);
    for (const item of [claimRequest, retryOf(claimRequest)]) {
      expect(await records.claim(item)).toEqual({ kind: 'stored', response: RESPONSE });
    }
  });

  it('report a lost response', async () => {
    const claimRequest = makeClaimRequest();
    const ownClaim = await claim(claimRequest);
    await records.markLost(ownClaim);
    for (const item of [claimRequest, retryOf(claimRequest)]) {
      expect(await records.claim(item)).toEqual({
        kind: 'unreadable',
        proofId: claimRequest.proofId,
      });
    }
  });

  it('refuse a different call with a used key, running or done', async () => {
    const claimRequest = makeClaimRequest();
    const other = { ...retryOf(claimRequest), requestHash: 'b'.repeat(64) };
    const ownClaim = await claim(claimRequest);
    expect(await records.claim(other)).toEqual({ kind: 'reused' });
    await records.finish(ownClaim, RESPONSE);
    expect(await records.claim(other)).toEqual({ kind: 'reused' });
  });

  it('separate the keys of workspaces', async () => {
    const claimRequest = makeClaimRequest();
    await records.finish(await claim(claimRequest), RESPONSE);
    expect(
      await records.claim({ ...retryOf(claimRequest), workspaceId: newId('ws') }),
    ).toMatchObject({
      kind: 'claimed',
    });
  });

  it('allow a new claim of a discarded call, with a new proof id', async () => {
    const claimRequest = makeClaimRequest();
    await records.discard(await claim(claimRequest));
    const next = retryOf(claimRequest);
    expect(await claim(next)).toMatchObject({ proofId: next.proofId });
  });

  it.each<[string, (ownClaim: Claim, claimRequest: ClaimRequest) => Promise<void>]>([
    [
      'after its lease',
      (_claim, claimRequest) => change(claimRequest, "lease_until = now() - interval '1 s'"),
    ],
    ['once released', (ownClaim) => records.release(ownClaim)],
  ])('allow one new claim %s, under the same proof id', async (_name, end) => {
    const claimRequest = makeClaimRequest();
    const first = await claim(claimRequest);
    expect(await records.claim(retryOf(claimRequest))).toEqual({ kind: 'running' });
    await end(first, claimRequest);
    const other = { ...retryOf(claimRequest), requestHash: 'b'.repeat(64) };
    expect(await records.claim(other)).toEqual({ kind: 'reused' });
    const all = await Promise.all(
      Array.from({ length: 5 }, () => records.claim(retryOf(claimRequest))),
    );
    const claims = all.filter(({ kind }) => kind === 'claimed').map(toClaim);
    expect(claims).toEqual([expect.objectContaining({ proofId: claimRequest.proofId })]);
    expect(await records.finish(first, RESPONSE)).toBe(false);
    await records.discard(first);
    await records.release(first);
    expect(await records.claim(retryOf(claimRequest))).toEqual({ kind: 'running' });
    expect(await records.finish(claims[0]!, RESPONSE)).toBe(true);
  });

  it('prolong the leases of running calls of several workspaces, and of no others', async () => {
    const requests = [makeClaimRequest(), makeClaimRequest(), makeClaimRequest()];
    const claims = [];
    for (const claimRequest of requests) claims.push(await claim(claimRequest));
    for (const claimRequest of requests) {
      await change(claimRequest, "lease_until = now() - interval '1 s'");
    }
    const taken = await claim(retryOf(requests[2]!));
    await change(requests[2]!, "lease_until = now() - interval '1 s'");
    await records.extend(claims, LEASE_MS);
    for (const claimRequest of requests.slice(0, 2)) {
      expect(await records.claim(retryOf(claimRequest))).toEqual({ kind: 'running' });
    }
    // Another claim has taken the third call over, whose lease is not that of the first.
    expect(await claim(retryOf(requests[2]!))).toMatchObject({ proofId: taken.proofId });
    await records.extend([], LEASE_MS);
  });

  it('allow a key to be reused after 24 h, for any call', async () => {
    const claimRequest = makeClaimRequest();
    await records.finish(await claim(claimRequest), RESPONSE);
    const { rows } = await scoped(
      claimRequest.workspaceId,
      'SELECT extract(epoch FROM expires_at - created_at)::int AS life FROM idempotency_record',
    );
    expect(rows).toEqual([{ life: 24 * 3_600 }]);
    await change(claimRequest, "expires_at = now() - interval '1 s'");
    const next = { ...retryOf(claimRequest), requestHash: 'b'.repeat(64) };
    expect(await claim(next)).toMatchObject({ proofId: next.proofId });
    expect(await records.claim(retryOf(next))).toEqual({ kind: 'running' });
  });

  it('do not contain a readable response without the secrets key', async () => {
    const claimRequest = makeClaimRequest();
    await records.finish(await claim(claimRequest), RESPONSE);
    const { rows } = await scoped(claimRequest.workspaceId, 'SELECT * FROM idempotency_record');
    expect(JSON.stringify(rows)).not.toMatch(/particular|content-type/);
    const storeWithoutKey = createIdempotencyStore(storage, newCipher());
    expect(await storeWithoutKey.claim(retryOf(claimRequest))).toEqual({
      kind: 'unreadable',
      proofId: claimRequest.proofId,
    });
  });

  it('are deleted after expiry, by any number of replicas', async () => {
    const over = Array.from({ length: 7 }, () => makeClaimRequest());
    for (const item of over) await records.finish(await claim(item), RESPONSE);
    for (const item of over) await change(item, "expires_at = now() - interval '1 s'");
    const [stored, running] = [makeClaimRequest(), makeClaimRequest()];
    await records.finish(await claim(stored), RESPONSE);
    await claim(running);
    await change(running, "expires_at = now() - interval '1 s'");
    const counts = await Promise.all([records.deleteExpired(), records.deleteExpired()]);
    expect(counts[0] + counts[1]).toBe(7);
    expect(await records.deleteExpired()).toBe(0);
    expect((await records.claim(retryOf(stored))).kind).toBe('stored');
    // The expired row was not deleted, because the owner of its claim may still finish the call.
    expect((await records.claim(retryOf(running))).kind).toBe('running');
  });

  it('are protected by row-level security', async () => {
    const [ownClaim, otherClaim] = [makeClaimRequest(), makeClaimRequest()];
    for (const item of [ownClaim, otherClaim]) await claim(item);
    const select = 'SELECT workspace_id FROM idempotency_record';
    expect((await scoped(undefined, select)).rows).toEqual([]);
    expect((await scoped('', select)).rows).toEqual([]);
    const { rows } = await scoped(ownClaim.workspaceId, select);
    expect(rows).toEqual([{ workspace_id: ownClaim.workspaceId }]);
    const insertSql = `INSERT INTO idempotency_record SELECT '${otherClaim.workspaceId}', 'forged',
      repeat('a', 64), 'running', 'idm_1', 'pf_1', NULL, NULL, now(), now(), now()`;
    for (const scope of [undefined, ownClaim.workspaceId]) {
      await expect(scoped(scope, insertSql)).rejects.toThrow('row-level security');
    }
    const remove = await scoped(ownClaim.workspaceId, 'DELETE FROM idempotency_record');
    expect(remove.rowCount).toBe(1);
  });
});

const connect = ({ pool }: Database) => pool.connect();

const newCipher = () => createSecretCipher(randomBytes(32).toString('base64'));

const toClaim = (claimed: ClaimResult): Claim => {
  if (claimed.kind !== 'claimed') throw new Error(`The call is ${claimed.kind}.`);
  return claimed.claim;
};
