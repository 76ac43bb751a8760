import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { TestDatabase, Receiver } from '@witan/testing';
import { Client } from 'pg';
import { optionsFor, eventOf, openNotifier } from './open-notifier.ts';
import { isSigned } from './verify-signatures.ts';

const DEBATE = 'debate.synthesized';

describe('an interrupted notifier', () => {
  let database: TestDatabase;
  let receiver: Receiver;
  beforeAll(async () => {
    database = await createTestDatabase(['notifier']);
    receiver = await openReceiver();
  });
  afterAll(async () => {
    await receiver[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const open = (overrides: Parameters<typeof openNotifier>[1] = {}) =>
    openNotifier(database.urls.notifier!, overrides);
  const awaitRequests = (path: string, count: number) =>
    eventually(async () => {
      const requests = receiver.requestsOf(path);
      return requests.length >= count ? requests : undefined;
    });
  const subscribe = async (service: Awaited<ReturnType<typeof open>>, path: string) => {
    const workspaceId = newId('ws');
    const webhook = { url: receiver.urlOf(path), events: [DEBATE] };
    const created = await service.webhooks.createWebhook(webhook, optionsFor(workspaceId));
    const event = eventOf(workspaceId, DEBATE, { conversationId: 'cnv_1', synthesis: '' });
    return { workspaceId, webhookId: created.webhook!.id, secret: created.secret, event };
  };

  it('releases hanging attempts when it stops, so that the next process repeats them', async () => {
    const first = await open();
    const { event, workspaceId, webhookId } = await subscribe(first, '/handed-over');
    receiver.respond('/handed-over', (attempt) => (attempt === 0 ? 'wait' : 200));
    await first.onEvent(event);
    await awaitRequests('/handed-over', 1);
    await first[Symbol.asyncDispose]();
    await using second = await open();
    const [before, after] = await awaitRequests('/handed-over', 2);
    expect(after!.headers['webhook-id']).toBe(before!.headers['webhook-id']);
    expect(after!.headers['x-service-delivery']).not.toBe(before!.headers['x-service-delivery']);
    const log = await eventually(async () => {
      const call = optionsFor(workspaceId);
      const { deliveries } = await second.deliveries.listDeliveries({ webhookId }, call);
      return deliveries[0]!.success ? deliveries : undefined;
    });
    expect(log).toMatchObject([{ retryCount: 0 }]);
  });

  it('repeats an attempt whose result was not written, without counting it twice', async () => {
    // The lease is longer than an attempt takes on a busy machine, because an attempt that outlives
    // its lease would be repeated.
    await using notifier = await open({ leaseMs: 2_000, attemptTimeoutMs: 1_500 });
    const { event, workspaceId, webhookId, secret } = await subscribe(notifier, '/crash');
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    receiver.respond('/crash', (attempt, response) => {
      if (attempt > 0) return 200;
      // Changes the lease, as a replica that crashed after claiming the delivery would, so that the
      // result of this attempt is rejected as late.
      const takeLease = `UPDATE notifier.delivery SET lease = gen_random_uuid()
        WHERE webhook_id = $1`;
      void admin.query(takeLease, [webhookId]).then(() => response.writeHead(200).end());
      return 'wait';
    });
    await notifier.onEvent(event);
    const [before, after] = await awaitRequests('/crash', 2);
    expect(after!.headers['webhook-id']).toBe(before!.headers['webhook-id']);
    expect(isSigned(after!, secret)).toBe(true);
    const log = await eventually(async () => {
      const call = optionsFor(workspaceId);
      const { deliveries } = await notifier.deliveries.listDeliveries({ webhookId }, call);
      return deliveries[0]!.success ? deliveries : undefined;
    });
    expect(log).toMatchObject([{ statusCode: 200, retryCount: 0 }]);
    expect(receiver.requestsOf('/crash')).toHaveLength(2);
    await admin.end();
  });

  it('reconnects to the database', async () => {
    await using notifier = await open();
    const { event } = await subscribe(notifier, '/reconnected');
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await admin.end();
    await eventually(() =>
      notifier.onEvent(event).then(
        () => true,
        () => undefined,
      ),
    );
    expect(await awaitRequests('/reconnected', 1)).toHaveLength(1);
  });
});
