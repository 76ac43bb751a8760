import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { optionsFor } from './open-notifier.ts';
import { openWebhookFixture } from './open-webhook-fixture.ts';
import type { TestWebhook, WebhookFixture } from './open-webhook-fixture.ts';

const HOUR_S = 3_600;
const LONG_ATTEMPTS = 10;

describe('retry schedules', () => {
  let fixture: WebhookFixture;
  beforeAll(async () => {
    fixture = await openWebhookFixture();
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const subscribe = () => fixture.subscribe({ retrySchedule: 'long' });
  const getWebhook = async ({ id, workspaceId }: TestWebhook) =>
    (await fixture.notifier.webhooks.getWebhook({ id }, optionsFor(workspaceId))).webhook;
  /** Lets attempts fail until `count` of them were made. */
  const failAttempts = async (webhook: TestWebhook, count: number, status = 500) => {
    fixture.receiver.respond(webhook.path, () => status);
    await fixture.emit(webhook);
    for (let attempt = 1; ; attempt += 1) {
      const rows = await fixture.awaitRows(webhook, ({ attempts }) => attempts === attempt);
      if (attempt === count) return rows;
      await fixture.makeDue(webhook);
    }
  };

  it('are standard by default, and can be set and changed', async () => {
    const webhook = await fixture.subscribe();
    expect(await getWebhook(webhook)).toMatchObject({ retrySchedule: 'standard' });
    await fixture.update(webhook, { retrySchedule: 'long' });
    await fixture.update(webhook, { description: 'unchanged schedule' });
    expect(await getWebhook(webhook)).toMatchObject({ retrySchedule: 'long' });
    expect(await getWebhook(await subscribe())).toMatchObject({ retrySchedule: 'long' });
    const invalid = { reason: 'INVALID_REQUEST', fields: { param: 'retrySchedule' } };
    const change = fixture.update(webhook, { retrySchedule: 'forever' });
    await expect(change).rejects.toMatchObject(invalid);
    await expect(fixture.subscribe({ retrySchedule: '' })).rejects.toMatchObject(invalid);
  });

  it('make ten attempts if long, the last one after a day', async () => {
    const webhook = await subscribe();
    const [waiting] = await failAttempts(webhook, LONG_ATTEMPTS - 1);
    expect(waiting).toMatchObject({ state: 'pending', status_code: 500 });
    expect(waiting!.dueInS).toBeGreaterThan(23 * HOUR_S);
    expect(waiting!.dueInS).toBeLessThanOrEqual(26.4 * HOUR_S);
    await fixture.makeDue(webhook);
    await fixture.awaitRows(webhook, ({ state }) => state === 'failed');
    const { deliveries } = await fixture.notifier.deliveries.listDeliveries(
      { webhookId: webhook.id },
      optionsFor(webhook.workspaceId),
    );
    expect(deliveries).toMatchObject([{ success: false, retryCount: 9, statusCode: 500 }]);
    const requests = fixture.receiver.requestsOf(webhook.path);
    expect(requests).toHaveLength(LONG_ATTEMPTS);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('that become standard keep due times, and end deliveries at their next failure', async () => {
    const webhook = await subscribe();
    await failAttempts(webhook, 4);
    await fixture.update(webhook, { retrySchedule: 'standard' });
    const [waiting] = await fixture.awaitRows(webhook, () => true);
    expect(waiting).toMatchObject({ state: 'pending', attempts: 4 });
    expect(waiting!.dueInS).toBeGreaterThan(HOUR_S);
    await fixture.makeDue(webhook);
    const [ended] = await fixture.awaitRows(webhook, ({ attempts }) => attempts === 5);
    expect(ended!.state).toBe('failed');
  });

  it('that become long apply to deliveries that waited while paused', async () => {
    const webhook = await fixture.subscribe();
    fixture.receiver.respond(webhook.path, (attempt, response) => {
      if (attempt > 0) return 500;
      void fixture.update(webhook, { isActive: false }).then(() => response.writeHead(500).end());
      return 'wait';
    });
    await fixture.emit(webhook);
    await fixture.awaitRows(webhook, ({ attempts }) => attempts === 1);
    await fixture.update(webhook, { isActive: true, retrySchedule: 'long' });
    const [row] = await fixture.awaitRows(webhook, ({ attempts }) => attempts === 2);
    expect(row!.state).toBe('pending');
    // The delay after the second attempt: 5 s in the standard schedule, 5 minutes in the long one.
    expect(row!.dueInS).toBeGreaterThan(60);
  });

  it('apply to redeliveries', async () => {
    const webhook = await subscribe();
    fixture.receiver.respond(webhook.path, (attempt) => (attempt === 0 ? 200 : 500));
    await fixture.emit(webhook);
    await fixture.awaitRows(webhook, ({ state }) => state === 'delivered');
    const call = optionsFor(webhook.workspaceId);
    const { deliveries: service } = fixture.notifier;
    const { deliveries } = await service.listDeliveries({ webhookId: webhook.id }, call);
    await service.redeliver({ webhookId: webhook.id, deliveryId: deliveries[0]!.id }, call);
    for (const made of [1, 2, 3]) {
      const rows = await fixture.awaitRows(
        webhook,
        (row) =>
          [1, made].includes(row.attempts) && (row.state === 'delivered' || row.attempts === made),
      );
      expect(rows.at(-1)!.state).toBe('pending');
      await fixture.makeDue(webhook);
    }
    const rows = await fixture.awaitRows(
      webhook,
      (row) => row.state === 'delivered' || row.attempts === 4,
    );
    expect(rows.at(-1)!.state).toBe('pending');
  });

  it.each([
    ['a 429', 429, '7200', 2 * HOUR_S],
    ['a 503', 503, '7200', 2 * HOUR_S],
    ['a 500', 500, '7200', 5],
    ['an invalid value', 503, 'soon', 5],
  ])('honor, if long, Retry-After of %s', async (_case, status, retryAfter, delayS) => {
    const webhook = await subscribe();
    fixture.receiver.respond(webhook.path, (_attempt, response) => {
      response.writeHead(status, { 'retry-after': retryAfter }).end();
      return 'wait';
    });
    await fixture.emit(webhook);
    const [row] = await fixture.awaitRows(webhook, ({ attempts }) => attempts === 1);
    expect(row!.dueInS).toBeLessThanOrEqual(delayS * 1.1);
    expect(row!.dueInS > HOUR_S).toBe(delayS > HOUR_S);
  });

  it('are forgotten with a deleted webhook and its pending deliveries', async () => {
    const webhook = await subscribe();
    await failAttempts(webhook, 3);
    const call = optionsFor(webhook.workspaceId);
    await fixture.notifier.webhooks.deleteWebhook({ id: webhook.id }, call);
    await fixture.makeDue(webhook);
    const reference = await fixture.subscribe();
    await fixture.emit(reference);
    await fixture.awaitRequests(reference, 1);
    expect(fixture.receiver.requestsOf(webhook.path)).toHaveLength(3);
  });

  it('continue after the notifier was replaced between two attempts', async () => {
    const webhook = await subscribe();
    await failAttempts(webhook, 4);
    await fixture.restart();
    fixture.receiver.respond(webhook.path, () => 200);
    await fixture.makeDue(webhook);
    const [row] = await fixture.awaitRows(webhook, ({ state }) => state === 'delivered');
    expect(row!.attempts).toBe(5);
  });
});
