import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { optionsFor } from './open-notifier.ts';
import { openWebhookFixture } from './open-webhook-fixture.ts';
import type { TestWebhook, WebhookFixture } from './open-webhook-fixture.ts';

const GONE = 410;

describe('a receiver that responds 410', () => {
  let fixture: WebhookFixture;
  const lines: { event?: string; webhookId?: string }[] = [];
  beforeAll(async () => {
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const log = createLog({ service: 'notifier', level: 'info', destination });
    fixture = await openWebhookFixture({ log, leaseMs: 60_000 });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const getWebhook = async ({ id, workspaceId }: TestWebhook) =>
    (await fixture.notifier.webhooks.getWebhook({ id }, optionsFor(workspaceId))).webhook!;
  const awaitDisabled = (webhook: TestWebhook) =>
    eventually(async () => !(await getWebhook(webhook)).isActive, 'a disabled webhook');
  const readMetric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${fixture.notifier.adminUrl}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')[1] ?? 0,
    );
  };
  const countDisabled = () => readMetric('notifier_webhooks_disabled_total{reason="gone"}');

  const subscribeLong = () => fixture.subscribe({ retrySchedule: 'long' });

  it.each([
    ['at once', 'long', 1],
    ['after the last attempt', 'standard', 3],
  ])(
    'disables its webhook %s on the %s schedule, and other deliveries wait',
    async (_when, retrySchedule, attemptsMade) => {
      const before = await countDisabled();
      const webhook = await fixture.subscribe({ retrySchedule });
      fixture.receiver.respond(webhook.path, () => 'wait');
      await fixture.emit(webhook);
      await fixture.emit(webhook);
      const [first, second] = await fixture.awaitRequests(webhook, 2);
      first!.response.writeHead(GONE).end();
      for (let made = 1; made < attemptsMade; made += 1) {
        const retry = (await fixture.awaitRequests(webhook, made + 2)).at(-1);
        expect(await getWebhook(webhook)).toMatchObject({ isActive: true });
        retry!.response.writeHead(GONE).end();
      }
      await awaitDisabled(webhook);
      second!.response.writeHead(500).end();
      const rows = await fixture.awaitRows(
        webhook,
        ({ state, attempts }) => state === 'failed' || attempts === 1,
      );
      const outcomes = rows.map((row) => [row.state, row.attempts, row.status_code]);
      expect(outcomes).toHaveLength(2);
      expect(outcomes).toEqual(
        expect.arrayContaining([
          ['failed', attemptsMade, GONE],
          ['pending', 1, 500],
        ]),
      );
      const disabled = await getWebhook(webhook);
      expect(disabled).toMatchObject({ isActive: false, disabledReason: 'gone' });
      expect(disabled.disabledAt).toBeDefined();
      expect(lines.filter(({ webhookId }) => webhookId === webhook.id)).toMatchObject([
        { event: 'webhook_disabled', reason: 'gone', workspaceId: webhook.workspaceId },
      ]);
      expect(await countDisabled()).toBe(before + 1);
      await fixture.emit(webhook);
      await fixture.makeDue(webhook);
      const reference = await fixture.subscribe();
      await fixture.emit(reference);
      await fixture.awaitRequests(reference, 1);
      expect(fixture.receiver.requestsOf(webhook.path)).toHaveLength(attemptsMade + 1);

      fixture.receiver.respond(webhook.path, () => 200);
      await fixture.update(webhook, { isActive: true });
      await fixture.awaitRows(webhook, ({ state }) => state !== 'pending');
      expect(fixture.receiver.requestsOf(webhook.path)).toHaveLength(attemptsMade + 2);
      const resumed = await getWebhook(webhook);
      expect(resumed.isActive).toBe(true);
      expect([resumed.disabledReason, resumed.disabledAt]).toEqual([undefined, undefined]);
    },
  );

  it.each([
    [[GONE, 200], 'delivered', true],
    [[GONE, GONE, 500], 'failed', true],
    [[500, 500, GONE], 'failed', false],
  ] as const)('is retried on the standard schedule: %j', async (statuses, state, isActive) => {
    const webhook = await fixture.subscribe();
    fixture.receiver.respond(webhook.path, (attempt) => statuses[attempt]!);
    await fixture.emit(webhook);
    const [row] = await fixture.awaitRows(webhook, (ended) => ended.state !== 'pending');
    expect(row).toMatchObject({
      state,
      attempts: statuses.length,
      status_code: statuses.at(-1),
    });
    expect(await getWebhook(webhook)).toMatchObject({ isActive });
  });

  it('does not disable the webhook that is tested', async () => {
    const webhook = await fixture.subscribe();
    fixture.receiver.respond(webhook.path, () => GONE);
    const call = optionsFor(webhook.workspaceId);
    const result = await fixture.notifier.deliveries.sendTest({ webhookId: webhook.id }, call);
    expect(result).toMatchObject({ success: false, statusCode: GONE });
    expect(await getWebhook(webhook)).toMatchObject({ isActive: true });
  });

  it('at the old URL of a webhook does not disable it, and the delivery is retried', async () => {
    const webhook = await subscribeLong();
    const moved = { path: `${webhook.path}-moved` };
    fixture.receiver.respond(webhook.path, (_attempt, response) => {
      void fixture
        .update(webhook, { url: fixture.receiver.urlOf(moved.path) })
        .then(() => response.writeHead(GONE).end());
      return 'wait';
    });
    await fixture.emit(webhook);
    await fixture.awaitRows(webhook, ({ attempts }) => attempts === 1);
    await fixture.makeDue(webhook);
    await fixture.awaitRequests(moved, 1);
    const [row] = await fixture.awaitRows(webhook, ({ state }) => state === 'delivered');
    expect(row!.attempts).toBe(2);
    expect(await getWebhook(webhook)).toMatchObject({ isActive: true });
    expect(fixture.receiver.requestsOf(webhook.path)).toHaveLength(1);
  });

  it('after its webhook was resumed does not disable it again', async () => {
    const webhook = await subscribeLong();
    fixture.receiver.respond(webhook.path, (attempt) => (attempt < 2 ? 'wait' : 200));
    await fixture.emit(webhook);
    await fixture.emit(webhook);
    const [first, second] = await fixture.awaitRequests(webhook, 2);
    first!.response.writeHead(GONE).end();
    await awaitDisabled(webhook);
    await fixture.update(webhook, { isActive: true });
    second!.response.writeHead(GONE).end();
    await fixture.awaitRows(webhook, ({ attempts }) => attempts === 1);
    await fixture.makeDue(webhook);
    const rows = await fixture.awaitRows(webhook, ({ state }) => state !== 'pending');
    expect(rows.map(({ state }) => state).toSorted()).toEqual(['delivered', 'failed']);
    expect(await getWebhook(webhook)).toMatchObject({ isActive: true });
  });
});
