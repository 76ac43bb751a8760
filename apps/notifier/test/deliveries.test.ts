import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { TestDatabase, Receiver } from '@witan/testing';
import { optionsFor, eventOf, openNotifier } from './open-notifier.ts';
import type { TestNotifier } from './open-notifier.ts';
import { isSigned, isStandardSigned } from './verify-signatures.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const DEBATE = 'debate.synthesized';

describe('deliveries', () => {
  let database: TestDatabase;
  let receiver: Receiver;
  let notifier: TestNotifier;
  beforeAll(async () => {
    database = await createTestDatabase(['notifier']);
    receiver = await openReceiver();
    notifier = await openNotifier(database.urls.notifier!);
  });
  afterAll(async () => {
    await notifier[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const subscribe = async (events: string[] = [DEBATE], service = notifier) => {
    const workspaceId = newId('ws');
    const path = `/${newId('hook')}`;
    const created = await service.webhooks.createWebhook(
      { url: receiver.urlOf(path), events },
      optionsFor(workspaceId),
    );
    return { workspaceId, path, id: created.webhook!.id, secret: created.secret };
  };
  const debateOf = (workspaceId: string) =>
    eventOf(workspaceId, DEBATE, { conversationId: 'cnv_1', synthesis: 'Grüße ✓ "all" agree' });
  const awaitRequests = (path: string, count: number) =>
    eventually(async () => {
      const requests = receiver.requestsOf(path);
      return requests.length >= count ? requests : undefined;
    });
  const listDeliveryLog = async ({ workspaceId, id }: { workspaceId: string; id: string }) => {
    const { deliveries } = await notifier.deliveries.listDeliveries(
      { webhookId: id },
      optionsFor(workspaceId),
    );
    return deliveries;
  };
  type ListedDelivery = Awaited<ReturnType<typeof listDeliveryLog>>[number];
  const awaitLog = (
    webhook: { workspaceId: string; id: string },
    matches: (delivery: ListedDelivery) => boolean,
  ) =>
    eventually(async () => {
      const log = await listDeliveryLog(webhook);
      return log.length > 0 && log.every(matches) ? log : undefined;
    });

  it('post the envelope with all headers, signed over its raw bytes', async () => {
    const webhook = await subscribe();
    const event = debateOf(webhook.workspaceId);
    await notifier.onEvent(event);
    const [request] = await awaitRequests(webhook.path, 1);
    expect(request!.method).toBe('POST');
    expect(JSON.parse(request!.body.toString())).toEqual({
      event: DEBATE,
      data: { conversationId: 'cnv_1', synthesis: 'Grüße ✓ "all" agree' },
      timestamp: event.occurredAt.toISOString(),
      webhookId: webhook.id,
    });
    expect(isSigned(request!, webhook.secret)).toBe(true);
    expect(isStandardSigned(request!, webhook.secret)).toBe(true);
    const [delivery] = await awaitLog(webhook, ({ success }) => success);
    expect(request!.headers).toMatchObject({
      'x-service-event': DEBATE,
      'x-service-delivery': expect.stringMatching(UUID),
      'user-agent': 'Service-Webhooks/1.0',
      'content-type': 'application/json',
      'webhook-id': delivery!.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    });
    expect(request!.headerNames).toEqual(
      expect.arrayContaining(['X-Service-Event', 'X-Service-Signature', 'X-Service-Delivery']),
    );
    expect(delivery).toMatchObject({ event: DEBATE, statusCode: 200, retryCount: 0, error: '' });
    const createdAt = timestampDate(delivery!.createdAt!).getTime();
    expect(timestampDate(delivery!.deliveredAt!).getTime()).toBeGreaterThanOrEqual(createdAt);
  });

  it.each([
    ['simulation.tick.completed', { simulationId: 'sim_1', turn: 0, stateCount: 2 }],
    ['simulation.report.ready', { simulationId: 'sim_1', name: 'Exit', turnsCompleted: 4 }],
  ] as const)('contain all data of %s', async (type, data) => {
    const webhook = await subscribe([type]);
    await notifier.onEvent(eventOf(webhook.workspaceId, type, data as never));
    const [request] = await awaitRequests(webhook.path, 1);
    expect(JSON.parse(request!.body.toString()).data).toEqual(data);
    expect(request!.headers['x-service-event']).toBe(type);
  });

  it('are retried with the same id after a failure, until the first success', async () => {
    const webhook = await subscribe();
    receiver.respond(webhook.path, (attempt) => (attempt === 0 ? 500 : 204));
    await notifier.onEvent(debateOf(webhook.workspaceId));
    const [first, second, ...more] = await awaitRequests(webhook.path, 2);
    expect(more).toEqual([]);
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery']);
    expect(isSigned(second!, webhook.secret) && isStandardSigned(second!, webhook.secret)).toBe(
      true,
    );
    const [delivery] = await awaitLog(webhook, ({ success }) => success);
    expect(delivery).toMatchObject({ statusCode: 204, state: 'delivered', retryCount: 1 });
  });

  it('fail permanently after three attempts', async () => {
    const webhook = await subscribe();
    receiver.respond(webhook.path, () => 503);
    await notifier.onEvent(debateOf(webhook.workspaceId));
    const [delivery] = await awaitLog(webhook, ({ retryCount }) => retryCount === 2);
    expect(delivery).toMatchObject({
      success: false,
      state: 'failed',
      statusCode: 503,
      error: 'http_status',
    });
    expect(delivery!.deliveredAt).toBeUndefined();
    const attempts = receiver
      .requestsOf(webhook.path)
      .map(({ headers }) => headers['x-service-delivery']);
    expect(new Set(attempts).size).toBe(3);
  });

  it('are attempted at once, then 1 s and 5 s after the end of the previous attempt', async () => {
    await using onSchedule = await openNotifier(database.urls.notifier!, {
      retryDelaysMs: undefined,
    });
    // The other notifier is stopped, because it could claim the delivery and retry it with its
    // shorter delays.
    await notifier[Symbol.asyncDispose]();
    const webhook = await subscribe([DEBATE], onSchedule);
    const ends: number[] = [];
    receiver.respond(webhook.path, (_attempt, response) => {
      setTimeout(() => {
        ends.push(performance.now());
        response.writeHead(500).end();
      }, 200);
      return 'wait';
    });
    await onSchedule.onEvent(debateOf(webhook.workspaceId));
    const [, second, third] = await awaitRequests(webhook.path, 3);
    notifier = await openNotifier(database.urls.notifier!);
    expect(second!.arrivedAtMs - ends[0]!).toBeGreaterThanOrEqual(1_000);
    expect(third!.arrivedAtMs - ends[1]!).toBeGreaterThanOrEqual(5_000);
    await awaitLog(webhook, ({ retryCount }) => retryCount === 2);
  }, 20_000);

  it('are created once per event and webhook, even if the event is redelivered', async () => {
    await using replica = await openNotifier(database.urls.notifier!);
    const webhook = await subscribe();
    const event = debateOf(webhook.workspaceId);
    const last = debateOf(webhook.workspaceId);
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 ? notifier : replica).onEvent(event)),
    );
    await notifier.onEvent(last);
    await awaitLog(webhook, ({ success }) => success);
    expect(await listDeliveryLog(webhook)).toHaveLength(2);
    expect(receiver.requestsOf(webhook.path)).toHaveLength(2);
  });

  it('skip webhooks that are unsubscribed, paused or of other workspaces', async () => {
    const subscribed = await subscribe();
    const unsubscribed = await subscribe(['simulation.report.ready']);
    const otherWorkspace = await subscribe();
    const call = { ...unsubscribed, ...optionsFor(subscribed.workspaceId) };
    const paused = await notifier.webhooks.createWebhook(
      { url: receiver.urlOf('/paused-before'), events: [DEBATE] },
      call,
    );
    await notifier.webhooks.updateWebhook({ id: paused.webhook!.id, isActive: false }, call);
    await notifier.onEvent(debateOf(subscribed.workspaceId));
    await awaitRequests(subscribed.path, 1);
    await notifier.webhooks.updateWebhook({ id: paused.webhook!.id, isActive: true }, call);
    for (const webhook of [unsubscribed, otherWorkspace])
      expect(await listDeliveryLog(webhook)).toEqual([]);
    expect(
      await listDeliveryLog({ workspaceId: subscribed.workspaceId, id: paused.webhook!.id }),
    ).toEqual([]);
  });

  it('are not created for an unknown event type, and an invalid event is rejected', async () => {
    const { workspaceId } = await subscribe();
    const event = debateOf(workspaceId);
    await notifier.onEvent({ ...event, type: 'agent.retired' });
    const invalid = { ...event, payload: Uint8Array.of(0xff) };
    await expect(notifier.onEvent(invalid)).rejects.toThrow(/premature|varint|illegal|invalid/i);
    await notifier.onEvent(event);
  });

  it('wait while their webhook is paused, and are sent when it resumes', async () => {
    const webhook = await subscribe();
    let pendingPause: Promise<unknown> | undefined;
    receiver.respond(webhook.path, (attempt, response) => {
      if (attempt > 0) return 200;
      pendingPause = notifier.webhooks
        .updateWebhook({ id: webhook.id, isActive: false }, optionsFor(webhook.workspaceId))
        .then(() => response.writeHead(500).end());
      return 'wait';
    });
    await notifier.onEvent(debateOf(webhook.workspaceId));
    await awaitRequests(webhook.path, 1);
    await pendingPause;
    await awaitLog(webhook, ({ statusCode }) => statusCode === 500);
    // This webhook's delivery is retried after the same delay. Once its retry has arrived, a retry
    // for the paused webhook would have arrived, too.
    const reference = await subscribe();
    receiver.respond(reference.path, (attempt) => (attempt === 0 ? 500 : 200));
    await notifier.onEvent(debateOf(reference.workspaceId));
    await awaitRequests(reference.path, 2);
    expect(receiver.requestsOf(webhook.path)).toHaveLength(1);
    await notifier.webhooks.updateWebhook(
      { id: webhook.id, isActive: true },
      optionsFor(webhook.workspaceId),
    );
    await awaitRequests(webhook.path, 2);
    await awaitLog(webhook, ({ success, retryCount }) => success && retryCount === 1);
  });

  it('are retried at the new URL of their webhook, with its new secret', async () => {
    const webhook = await subscribe();
    const moved = `/${newId('hook')}`;
    let secret = '';
    receiver.respond(webhook.path, (_attempt, response) => {
      void notifier.webhooks
        .updateWebhook(
          { id: webhook.id, url: receiver.urlOf(moved) },
          optionsFor(webhook.workspaceId),
        )
        .then(async () => {
          const call = optionsFor(webhook.workspaceId);
          ({ secret } = await notifier.webhooks.rotateSecret({ id: webhook.id }, call));
          response.writeHead(500).end();
        });
      return 'wait';
    });
    await notifier.onEvent(debateOf(webhook.workspaceId));
    const [request] = await awaitRequests(moved, 1);
    expect(receiver.requestsOf(webhook.path)).toHaveLength(1);
    expect(isSigned(request!, secret)).toBe(true);
    expect(isSigned(request!, webhook.secret)).toBe(false);
    expect(isStandardSigned(request!, secret)).toBe(true);
    expect(isStandardSigned(request!, webhook.secret)).toBe(true);
  });

  it('are deleted with their webhook, and not retried', async () => {
    const webhook = await subscribe();
    let deleting: Promise<unknown> | undefined;
    receiver.respond(webhook.path, (_attempt, response) => {
      deleting = notifier.webhooks
        .deleteWebhook({ id: webhook.id }, optionsFor(webhook.workspaceId))
        .then(() => response.writeHead(500).end());
      return 'wait';
    });
    await notifier.onEvent(debateOf(webhook.workspaceId));
    await awaitRequests(webhook.path, 1);
    await deleting;
    await expect(listDeliveryLog(webhook)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const reference = await subscribe();
    receiver.respond(reference.path, (attempt) => (attempt < 2 ? 500 : 200));
    await notifier.onEvent(debateOf(reference.workspaceId));
    await awaitRequests(reference.path, 3);
    expect(receiver.requestsOf(webhook.path)).toHaveLength(1);
  });

  it('can be redelivered as a new delivery with the whole schedule', async () => {
    const webhook = await subscribe();
    receiver.respond(webhook.path, (attempt) => (attempt < 4 ? 500 : 200));
    await notifier.onEvent(debateOf(webhook.workspaceId));
    const [failed] = await awaitLog(webhook, ({ retryCount }) => retryCount === 2);
    const { delivery } = await notifier.deliveries.redeliver(
      { webhookId: webhook.id, deliveryId: failed!.id },
      optionsFor(webhook.workspaceId),
    );
    expect(delivery).toMatchObject({ event: DEBATE, state: 'pending', retryCount: 0 });
    const log = await eventually(async () => {
      const found = await listDeliveryLog(webhook);
      return found[0]!.success ? found : undefined;
    });
    expect(log.map(({ id }) => id)).toEqual([delivery!.id, failed!.id]);
    expect(log[0]).toMatchObject({ retryCount: 1, statusCode: 200 });
    expect(log[1]).toMatchObject({ success: false, retryCount: 2 });
    const requests = receiver.requestsOf(webhook.path);
    expect(requests.at(-1)!.body.equals(requests[0]!.body)).toBe(true);
    const unknownDelivery = { webhookId: webhook.id, deliveryId: newId('dlv') };
    const redelivery = notifier.deliveries.redeliver(
      unknownDelivery,
      optionsFor(webhook.workspaceId),
    );
    await expect(redelivery).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('of a test make one logged attempt at once, even while the webhook is paused', async () => {
    const webhook = await subscribe();
    const call = optionsFor(webhook.workspaceId);
    await notifier.webhooks.updateWebhook({ id: webhook.id, isActive: false }, call);
    receiver.respond(webhook.path, (attempt) => (attempt === 0 ? 202 : 418));
    const succeeded = await notifier.deliveries.sendTest({ webhookId: webhook.id }, call);
    expect(succeeded).toMatchObject({ success: true, statusCode: 202 });
    const [request] = receiver.requestsOf(webhook.path);
    const envelope = JSON.parse(request!.body.toString());
    expect(envelope).toEqual({
      event: 'webhook.test',
      data: { webhookId: webhook.id, message: expect.any(String), timestamp: envelope.timestamp },
      timestamp: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{3}Z$/),
      webhookId: webhook.id,
    });
    expect(isSigned(request!, webhook.secret) && isStandardSigned(request!, webhook.secret)).toBe(
      true,
    );
    const failed = await notifier.deliveries.sendTest({ webhookId: webhook.id }, call);
    expect(failed).toMatchObject({ success: false, statusCode: 418 });
    expect(await listDeliveryLog(webhook)).toMatchObject([
      { event: 'webhook.test', success: false, statusCode: 418, retryCount: 0 },
      { event: 'webhook.test', success: true, statusCode: 202, retryCount: 0 },
    ]);
    expect(receiver.requestsOf(webhook.path)).toHaveLength(2);
  });
});
