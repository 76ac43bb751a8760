import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, createSecretCipher, newId } from '@witan/service-kit';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client } from 'pg';
import type { DueDelivery } from '../delivery.ts';
import { releaseLease, settleAttempt } from '../settle-attempt.ts';
import { encodeSecret } from '../../webhook/webhook.ts';
import { openStorage } from '../../open-storage.ts';
import type { Storage } from '../../open-storage.ts';

const PER_WEBHOOK = 4;
const LEASE_MS = 60_000;
const DONE = { statusCode: 200, error: null };
const TIMED_OUT = { statusCode: 0, error: 'timeout' } as const;
const NO_DELAYS = { delaysMs: { standard: [0, 0], long: [0, 0, 0, 0] }, random: () => 0 };
const IN_30_S = { ...NO_DELAYS, delaysMs: { standard: [30_000], long: [] } };

describe('the delivery queue', () => {
  let database: TestDatabase;
  let admin: Client;
  const replicas: Storage[] = [];
  const log = createLog({ service: 'notifier', level: 'silent' });
  const secretsKey = randomBytes(32).toString('base64');
  const openReplica = async (): Promise<Storage> => {
    const limits = { perWebhook: PER_WEBHOOK, leaseMs: LEASE_MS };
    const databaseUrl = database.urls.notifier!;
    const replica = await openStorage({ databaseUrl, secretsKey, limits }, log);
    replicas.push(replica);
    return replica;
  };
  beforeAll(async () => {
    database = await createTestDatabase(['notifier']);
    await Promise.all([openReplica(), openReplica(), openReplica()]);
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
    await admin.end();
    await database[Symbol.asyncDispose]();
  });

  const secret = encodeSecret(randomBytes(32));
  const addWebhook = async (count: number) => {
    const workspaceId = newId('ws');
    const id = newId('whk');
    await replicas[0]!.webhooks.insert(
      workspaceId,
      {
        id,
        url: 'https://example.com/',
        events: ['webhook.test'],
        description: null,
        isActive: true,
        retrySchedule: 'standard' as const,
        disabled: null,
        createdAt: new Date(),
        secret,
        secretPreview: '',
      },
      50,
    );
    for (let n = 0; n < count; n += 1) await addDelivery(workspaceId);
    return { workspaceId, id };
  };
  const addDelivery = (workspaceId: string): Promise<number> =>
    replicas[0]!.recordEvent({
      id: newId('evt'),
      workspaceId,
      type: 'webhook.test',
      idPrefix: newId('dlv'),
      envelope: { prefix: '{"to":"', suffix: '"}' },
    });
  const claim = (replica = replicas[0]!, options: { max?: number; leased?: string[] } = {}) =>
    replica.queue.claim({ max: 512, leased: [], ...options });
  const settle = (
    dueDelivery: DueDelivery,
    result: Parameters<typeof settleAttempt>[1],
    replica = replicas[0]!,
  ) => replica.queue.settle([settleAttempt(dueDelivery, result, NO_DELAYS)]);
  const expireLease = ({ id }: DueDelivery) =>
    admin.query(`UPDATE notifier.delivery SET due_at = now() WHERE id = $1`, [id]);
  const rowOf = async ({ id }: DueDelivery): Promise<Record<string, unknown>> => {
    const { rows } = await admin.query('SELECT * FROM notifier.delivery WHERE id = $1', [id]);
    return rows[0];
  };
  const deleteAll = () => admin.query('DELETE FROM notifier.webhook');

  it('leases each delivery to one of several replicas that claim at the same time', async () => {
    await deleteAll();
    for (let n = 0; n < 20; n += 1) await addWebhook(2);
    const claimed = (await Promise.all(replicas.map((replica) => claim(replica)))).flat();
    // Concurrent claims skip webhooks that another replica has locked, so a further claim collects
    // the rest. In production, the next tick of a delivery worker makes that claim.
    claimed.push(...(await claim()));
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(40);
    expect(claimed).toHaveLength(40);
    expect(new Set(claimed.map(({ lease }) => lease)).size).toBe(40);
    expect(claimed[0]).toMatchObject({ attempt: 1, secrets: [secret] });
  });

  it('limits a webhook to 4 attempts over all replicas, and to 1 after a timeout', async () => {
    await deleteAll();
    await addWebhook(10);
    const claimed = (await Promise.all(replicas.map((replica) => claim(replica)))).flat();
    expect(claimed).toHaveLength(4);
    await settle(claimed[0]!, DONE);
    const [next, ...none] = await claim(replicas[1]);
    expect([next?.attempt, none]).toEqual([1, []]);
    await settle(claimed[1]!, TIMED_OUT);
    await settle(claimed[2]!, TIMED_OUT);
    await settle(claimed[3]!, TIMED_OUT);
    expect(await claim(replicas[2])).toEqual([]);
    await settle(next!, TIMED_OUT);
    const slow = await claim();
    expect(slow).toHaveLength(1);
    await settle(slow[0]!, DONE);
    expect(await claim()).toHaveLength(4);
  });

  it('leases a delivery of every webhook before a second one of any', async () => {
    await deleteAll();
    const webhooks = [await addWebhook(4), await addWebhook(4), await addWebhook(4)];
    const claimed = await claim(replicas[0], { max: 3 });
    expect(claimed.map(({ webhookId }) => webhookId).toSorted()).toEqual(
      webhooks.map(({ id }) => id).toSorted(),
    );
  });

  it('leases the same attempt again after a crash, and rejects the late result', async () => {
    await deleteAll();
    await addWebhook(1);
    const [expiredDelivery] = await claim();
    expect(await claim(replicas[1])).toEqual([]);
    await expireLease(expiredDelivery!);
    const [reclaimedDelivery] = await claim(replicas[1]);
    expect(reclaimedDelivery).toMatchObject({
      id: expiredDelivery!.id,
      attempt: 1,
      body: expiredDelivery!.body,
    });
    expect(reclaimedDelivery!.lease).not.toBe(expiredDelivery!.lease);
    expect(await settle(expiredDelivery!, DONE)).toEqual({ lateCount: 1 });
    expect(await rowOf(expiredDelivery!)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await settle(reclaimedDelivery!, DONE, replicas[1])).toEqual({ lateCount: 0 });
    expect(await rowOf(expiredDelivery!)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      lease: null,
    });
    expect(await settle(reclaimedDelivery!, DONE, replicas[1])).toEqual({ lateCount: 1 });
  });

  it('accepts a result of an expired lease until it is leased again', async () => {
    await deleteAll();
    await addWebhook(1);
    const [dueDelivery] = await claim();
    await expireLease(dueDelivery!);
    expect(await claim(replicas[0], { leased: [dueDelivery!.id] })).toEqual([]);
    expect(await settle(dueDelivery!, DONE)).toEqual({ lateCount: 0 });
  });

  it('does not count released leases as attempts', async () => {
    await deleteAll();
    await addWebhook(1);
    const [first] = await claim();
    await replicas[0]!.queue.settle([releaseLease(first!, { delayMs: 0 })]);
    const [reclaimedDelivery] = await claim();
    expect(reclaimedDelivery).toMatchObject({ id: first!.id, attempt: 1 });
    await settle(reclaimedDelivery!, TIMED_OUT);
    const [second] = await claim();
    expect(second!.attempt).toBe(2);
    await settle(second!, { statusCode: 500, error: 'http_status' });
    const [thirdClaim] = await claim();
    await settle(thirdClaim!, { statusCode: 0, error: 'dns' });
    const failed = { state: 'failed', attempts: 3, status_code: 0, error: 'dns', due_at: null };
    expect(await rowOf(first!)).toMatchObject(failed);
  });

  it('leases nothing for paused webhooks, and returns when the next is due', async () => {
    await deleteAll();
    const { workspaceId, id } = await addWebhook(2);
    await replicas[0]!.webhooks.update(workspaceId, id, { isActive: false });
    expect([await claim(), await replicas[0]!.queue.nextDueMs()]).toEqual([[], undefined]);
    await replicas[0]!.webhooks.update(workspaceId, id, { isActive: true });
    const [dueDelivery] = await claim();
    await replicas[0]!.queue.settle([settleAttempt(dueDelivery!, TIMED_OUT, IN_30_S)]);
    const nextMs = await replicas[0]!.queue.nextDueMs();
    expect(nextMs).toBeGreaterThan(20_000);
    expect(nextMs).toBeLessThanOrEqual(30_000);
  });

  it('leaves the third attempt of the long schedule to this release', async () => {
    await deleteAll();
    const { workspaceId, id } = await addWebhook(1);
    await replicas[0]!.webhooks.update(workspaceId, id, { retrySchedule: 'long' });
    const claimAsPreviousRelease = async (): Promise<object[]> => {
      const { rows } = await admin.query(
        `SELECT attempt FROM notifier.claim_traced_deliveries(512, 4, 60000, '{}')`,
      );
      return rows;
    };
    await admin.query('SET search_path TO notifier');
    expect(await claimAsPreviousRelease()).toEqual([{ attempt: 1 }]);
    await admin.query('UPDATE notifier.delivery SET lease = NULL, due_at = now(), attempts = 2');
    expect(await claimAsPreviousRelease()).toEqual([]);
    expect(await claim()).toMatchObject([{ attempt: 3, retrySchedule: 'long' }]);
  });

  it('leases the same attempt of a long schedule again after a crash', async () => {
    await deleteAll();
    const { workspaceId, id } = await addWebhook(1);
    await replicas[0]!.webhooks.update(workspaceId, id, { retrySchedule: 'long' });
    for (const attempt of [1, 2, 3]) {
      const [due] = await claim();
      expect(due).toMatchObject({ attempt, retrySchedule: 'long' });
      await settle(due!, TIMED_OUT);
    }
    const [expired] = await claim();
    await expireLease(expired!);
    const [reclaimed] = await claim(replicas[1]);
    expect(reclaimed).toMatchObject({ id: expired!.id, attempt: 4, retrySchedule: 'long' });
    expect(await settle(expired!, TIMED_OUT)).toEqual({ lateCount: 1 });
    await settle(reclaimed!, TIMED_OUT, replicas[1]);
    expect(await rowOf(reclaimed!)).toMatchObject({ state: 'pending', attempts: 4 });
  });

  it('disables a webhook once, unless it was resumed or its URL changed since the claim', async () => {
    await deleteAll();
    const { workspaceId, id } = await addWebhook(1);
    const { webhooks, queue } = replicas[0]!;
    const [due] = await claim();
    expect(await queue.disableGone({ ...due!, webhookId: newId('whk') })).toBe('outdated');
    expect(await queue.disableGone(due!)).toBe('disabled');
    expect(await queue.disableGone(due!)).toBe('unchanged');
    const gone = { isActive: false, disabled: { reason: 'gone', at: expect.any(Date) } };
    expect(await webhooks.find(workspaceId, id)).toMatchObject(gone);
    await webhooks.update(workspaceId, id, { isActive: false, description: 'still gone' });
    expect(await webhooks.find(workspaceId, id)).toMatchObject(gone);
    const active = { isActive: true, disabled: null };
    expect(await webhooks.update(workspaceId, id, { isActive: true })).toMatchObject(active);
    expect(await queue.disableGone(due!)).toBe('outdated');
    await expireLease(due!);
    const [beforeMove] = await claim();
    await webhooks.update(workspaceId, id, { url: 'https://example.org/' });
    expect(await queue.disableGone(beforeMove!)).toBe('outdated');
    await expireLease(beforeMove!);
    const [beforeOldMove] = await claim();
    // The previous release changes the URL without raising the endpoint version.
    await admin.query(`UPDATE notifier.webhook SET url = 'https://example.net/'`);
    expect(await queue.disableGone(beforeOldMove!)).toBe('outdated');
    expect(await webhooks.find(workspaceId, id)).toMatchObject(active);
  });

  it('ignores the reason of a webhook that the previous release resumed', async () => {
    await deleteAll();
    const { workspaceId, id } = await addWebhook(1);
    const { webhooks, queue } = replicas[0]!;
    const [due] = await claim();
    await queue.disableGone(due!);
    await admin.query('UPDATE notifier.webhook SET is_active = true');
    expect(await webhooks.find(workspaceId, id)).toMatchObject({ isActive: true, disabled: null });
    const paused = await webhooks.update(workspaceId, id, { isActive: false });
    expect(paused).toMatchObject({ isActive: false, disabled: null });
  });

  it('returns no secrets that were encrypted with another key', async () => {
    await deleteAll();
    await addWebhook(1);
    const limits = { perWebhook: PER_WEBHOOK, leaseMs: LEASE_MS };
    const other = {
      databaseUrl: database.urls.notifier!,
      secretsKey: randomBytes(32).toString('base64'),
      limits,
    };
    await using otherKey = await openStorage(other, log);
    expect(await claim(otherKey)).toMatchObject([{ secrets: undefined }]);
  });

  it('returns secrets that were encrypted again after a key change', async () => {
    await deleteAll();
    const { workspaceId, id } = await addWebhook(1);
    const rotated = encodeSecret(randomBytes(32));
    const change = { text: rotated, preview: '', previousForMs: LEASE_MS };
    await replicas[0]!.replaceSecret(workspaceId, id, change);
    const limits = { perWebhook: PER_WEBHOOK, leaseMs: LEASE_MS };
    const databaseUrl = database.urls.notifier!;
    const newKey = randomBytes(32).toString('base64');
    const bothKeys = { databaseUrl, secretsKey: `${newKey},${secretsKey}`, limits };
    await using _reencrypting = await openStorage(bothKeys, log);
    const isReencrypted = async (): Promise<boolean> => {
      const { rows } = await admin.query('SELECT * FROM notifier.webhook');
      const { sealed_secret, previous_sealed_secret } = rows[0];
      const open = () =>
        [sealed_secret, previous_sealed_secret].map((ciphertext) =>
          createSecretCipher(newKey).decrypt(ciphertext as string, `webhook:${workspaceId}:${id}`),
        );
      try {
        expect(open()).toEqual([rotated, secret]);
        return true;
      } catch {
        return false;
      }
    };
    await eventually(isReencrypted);
    await using newKeyOnly = await openStorage({ databaseUrl, secretsKey: newKey, limits }, log);
    expect(await claim(newKeyOnly)).toMatchObject([{ secrets: [rotated, secret] }]);
  });

  it('deletes old deliveries unless they are pending', async () => {
    await deleteAll();
    await addWebhook(2);
    const [done] = await claim(replicas[0], { max: 1 });
    await settle(done!, DONE);
    await admin.query(`UPDATE notifier.delivery SET created_at = now() - interval '31 days'`);
    expect(await replicas[0]!.sweep()).toEqual({
      deliveries: 1,
      inboxRows: 0,
      recentEvents: 0,
    });
    const { rows } = await admin.query('SELECT state FROM notifier.delivery');
    expect(rows).toEqual([{ state: 'pending' }]);
  });

  it('returns no rows without a workspace scope', async () => {
    await deleteAll();
    await addWebhook(1);
    const role = new Client({ connectionString: database.urls.notifier! });
    await role.connect();
    for (const table of ['webhook', 'delivery', 'dead_fact']) {
      const { rows } = await role.query(`SELECT count(*)::int AS seen FROM ${table}`);
      expect(rows).toEqual([{ seen: 0 }]);
    }
    await role.end();
  });
});
