import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, newId } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client } from 'pg';
import type { RecordEvent } from '../delivery.ts';
import { openStorage } from '../../open-storage.ts';
import type { Storage } from '../../open-storage.ts';

type RecordedEvent = Parameters<RecordEvent>[0];

const EVENT = 'webhook.test';
const WEBHOOKS_MAX = 50;

describe('recording an event', () => {
  let database: TestDatabase;
  let admin: Client;
  const replicas: Storage[] = [];
  beforeAll(async () => {
    database = await createTestDatabase(['notifier']);
    const log = createLog({ service: 'notifier', level: 'silent' });
    const secretsKey = randomBytes(32).toString('base64');
    const limits = { perWebhook: 4, leaseMs: 60_000 };
    for (let n = 0; n < 2; n += 1) {
      const databaseUrl = database.urls.notifier!;
      replicas.push(await openStorage({ databaseUrl, secretsKey, limits }, log));
    }
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
    await admin.end();
    await database[Symbol.asyncDispose]();
  });

  const addWebhooks = async (workspaceId: string, count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => newId('whk'));
    for (const id of ids) {
      const webhook = {
        id,
        url: 'https://example.com/',
        events: [EVENT] as const,
        description: null,
        isActive: true,
        retrySchedule: 'standard' as const,
        disabled: null,
        createdAt: new Date(),
        secret: 'whsec_',
        secretPreview: '',
      };
      await replicas[0]!.webhooks.insert(workspaceId, webhook, WEBHOOKS_MAX);
    }
    return ids;
  };
  const eventOf = (workspaceId: string): RecordedEvent => ({
    id: newId('evt'),
    workspaceId,
    type: EVENT,
    idPrefix: newId('dlv').slice(0, -2),
    envelope: { prefix: '{"to":"', suffix: '"}' },
  });
  const rowsOf = async ({ id }: RecordedEvent): Promise<Record<string, unknown>[]> => {
    const sql = 'SELECT * FROM notifier.delivery WHERE event_id = $1 ORDER BY id';
    return (await admin.query(sql, [id])).rows;
  };
  const listen = async () => {
    const listener = new Client({ connectionString: database.urls.notifier! });
    await listener.connect();
    let received = 0;
    listener.on('notification', () => (received += 1));
    await listener.query('LISTEN notifier_due');
    // PostgreSQL sends pending notifications before it completes a query, so after the empty query
    // all of them are counted.
    return {
      count: async () => (await listener.query('SELECT'), received),
      end: () => listener.end(),
    };
  };

  it('creates a delivery with its own id and body per webhook, with one NOTIFY', async () => {
    const workspaceId = newId('ws');
    const webhooks = await addWebhooks(workspaceId, WEBHOOKS_MAX);
    const notifications = await listen();
    const event = eventOf(workspaceId);
    expect(await replicas[0]!.recordEvent(event)).toBe(WEBHOOKS_MAX);
    expect(await notifications.count()).toBe(1);
    await notifications.end();
    const rows = await rowsOf(event);
    expect(new Set(rows.map((row) => row.id)).size).toBe(WEBHOOKS_MAX);
    expect(new Set(rows.map((row) => row.webhook_id))).toEqual(new Set(webhooks));
    for (const row of rows) {
      expect(row).toMatchObject({
        id: expect.stringMatching(/^dlv_[\dA-Za-z]{20}\d\d$/),
        workspace_id: workspaceId,
        event: EVENT,
        body: `{"to":"${String(row.webhook_id)}"}`,
        state: 'pending',
        attempts: 0,
        lease: null,
      });
    }
  });

  it('creates deliveries once for all replicas, and sends no NOTIFY for none', async () => {
    const workspaceId = newId('ws');
    await addWebhooks(workspaceId, 3);
    const event = eventOf(workspaceId);
    const results = Array.from({ length: 10 }, (_, n) =>
      replicas[n % 2]!.recordEvent({ ...event, idPrefix: newId('dlv').slice(0, -2) }),
    );
    expect((await Promise.all(results)).filter((createdCount) => createdCount > 0)).toEqual([3]);
    expect(await rowsOf(event)).toHaveLength(3);
    const notifications = await listen();
    expect(await replicas[0]!.recordEvent(event)).toBe(0);
    expect(await replicas[0]!.recordEvent(eventOf(newId('ws')))).toBe(0);
    expect(await notifications.count()).toBe(0);
    await notifications.end();
  });

  it('records nothing if it cannot create all deliveries', async () => {
    const workspaceId = newId('ws');
    await addWebhooks(workspaceId, 2);
    const recorded = eventOf(workspaceId);
    await replicas[0]!.recordEvent(recorded);
    const event = eventOf(workspaceId);
    const duplicate = replicas[0]!.recordEvent({ ...event, idPrefix: recorded.idPrefix });
    await expect(duplicate).rejects.toMatchObject({ code: '23505' });
    expect(await replicas[0]!.recordEvent(event)).toBe(2);
  });

  it('waits for a running deletion, and creates no delivery for a deleted webhook', async () => {
    const workspaceId = newId('ws');
    const [deleted, left] = await addWebhooks(workspaceId, 2);
    await admin.query('BEGIN');
    await admin.query('DELETE FROM notifier.webhook WHERE id = $1', [deleted]);
    const event = eventOf(workspaceId);
    const recorded = replicas[0]!.recordEvent(event);
    await awaitBlocked(admin);
    await admin.query('COMMIT');
    expect(await recorded).toBe(1);
    expect(await rowsOf(event)).toMatchObject([{ webhook_id: left }]);
  });

  it('does not deadlock with concurrent claims, settlements and deletions', async () => {
    const [first, second] = replicas as [Storage, Storage];
    const result = { statusCode: 0, error: 'timeout' } as const;
    const claimAndSettle = async (storage: Storage): Promise<void> => {
      const due = await storage.queue.claim({ max: 512, leased: [] });
      const settlements = due.map((delivery) => ({
        ...delivery,
        state: 'failed' as const,
        result: result,
        delayMs: 0,
      }));
      if (settlements.length > 0) await storage.queue.settle(settlements);
    };
    for (let round = 0; round < 10; round += 1) {
      const workspaceId = newId('ws');
      const webhooks = await addWebhooks(workspaceId, 6);
      const record = (storage: Storage) => storage.recordEvent(eventOf(workspaceId));
      await Promise.all([record(first), record(second)]);
      await Promise.all([
        ...[first, second, first].map(record),
        claimAndSettle(first),
        claimAndSettle(second),
        ...webhooks.toReversed().map((id) => first.webhooks.delete(workspaceId, id)),
        record(second),
      ]);
      const remaining = 'SELECT id FROM notifier.delivery WHERE workspace_id = $1';
      expect((await admin.query(remaining, [workspaceId])).rows).toEqual([]);
    }
  }, 20_000);

  it.each(['in order of their ids', 'in reverse order'])(
    'settles attempts while their webhook is deleted, %s',
    async (order) => {
      const workspaceId = newId('ws');
      const [{ queue, recordEvent, webhooks }] = replicas as [Storage];
      const [webhookId] = (await addWebhooks(workspaceId, 1)) as [string];
      for (let n = 0; n < 3; n += 1) await recordEvent(eventOf(workspaceId));
      const due = await queue.claim({ max: 3, leased: [] });
      expect(due).toHaveLength(3);
      const result = { statusCode: 500, error: null };
      const settlements = due
        .toSorted((first, second) => (first.id < second.id ? -1 : 1))
        .map((delivery) => ({ ...delivery, state: 'failed' as const, result, delayMs: 0 }));
      await admin.query('BEGIN');
      const lockMiddleDeliverySql = 'SELECT 1 FROM notifier.delivery WHERE id = $1 FOR UPDATE';
      await admin.query(lockMiddleDeliverySql, [settlements[1]!.id]);
      const settled = queue.settle(
        order === 'in order of their ids' ? settlements : settlements.toReversed(),
      );
      await awaitBlocked(admin);
      const deleted = webhooks.delete(workspaceId, webhookId);
      await awaitBlocked(admin, 2);
      await admin.query('COMMIT');
      expect(await Promise.all([settled, deleted])).toEqual([{ lateCount: 0 }, true]);
    },
  );

  it('rejects any scope but a single workspace', async () => {
    const workspaceId = newId('ws');
    await addWebhooks(workspaceId, 1);
    for (const scope of ['*', `${workspaceId},${newId('ws')}`]) {
      await expect(replicas[0]!.recordEvent(eventOf(scope))).rejects.toThrow('A workspace id has');
    }
  });
});

/** Resolves when `count` other connections wait, directly or indirectly, for locks of `locker`. */
const awaitBlocked = async (locker: Client, count = 1): Promise<void> => {
  const sql = `
    WITH RECURSIVE behind (pid) AS (
      SELECT pg_backend_pid()
      UNION SELECT a.pid FROM pg_stat_activity AS a JOIN behind ON behind.pid = ANY (
        pg_blocking_pids(a.pid))
    ) SELECT pid FROM behind`;
  while ((await locker.query(sql)).rows.length <= count) await new Promise(setImmediate);
};
