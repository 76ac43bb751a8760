import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { TestDatabase, Receiver } from '@witan/testing';
import { as, eventOf, openNotifier } from './open-notifier.ts';
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

  /** Creates a webhook in a new workspace at a new path. */
  const subscribe = async (events: string[] = [DEBATE], by = notifier) => {
    const workspaceId = newId('ws');
    const path = `/${newId('hook')}`;
    const made = await by.webhooks.createWebhook(
      { url: receiver.urlOf(path), events },
      as(workspaceId),
    );
    return { workspaceId, path, id: made.webhook!.id, secret: made.secret };
  };
  const debateOf = (workspaceId: string) =>
    eventOf(workspaceId, DEBATE, { conversationId: 'cnv_1', synthesis: 'Grüße ✓ "all" agree' });
  const received = (path: string, count: number) =>
    eventually(async () => {
      const requests = receiver.requestsOf(path);
      return requests.length >= count ? requests : undefined;
    });
  const logOf = async ({ workspaceId, id }: { workspaceId: string; id: string }) => {
    const { deliveries } = await notifier.deliveries.listDeliveries(
      { webhookId: id },
      as(workspaceId),
    );
    return deliveries;
  };
  type Logged = Awaited<ReturnType<typeof logOf>>[number];
  /** Returns the log once all its deliveries satisfy the condition. */
  const logWhen = (hook: { workspaceId: string; id: string }, is: (one: Logged) => boolean) =>
    eventually(async () => {
      const log = await logOf(hook);
      return log.length > 0 && log.every(is) ? log : undefined;
    });

  it('post the envelope with every header, signed over its raw bytes', async () => {
    const hook = await subscribe();
    const event = debateOf(hook.workspaceId);
    await notifier.onEvent(event);
    const [request] = await received(hook.path, 1);
    expect(request!.method).toBe('POST');
    expect(JSON.parse(request!.body.toString())).toEqual({
      event: DEBATE,
      data: { conversationId: 'cnv_1', synthesis: 'Grüße ✓ "all" agree' },
      timestamp: event.occurredAt.toISOString(),
      webhookId: hook.id,
    });
    expect(isSigned(request!, hook.secret)).toBe(true);
    expect(isStandardSigned(request!, hook.secret)).toBe(true);
    const [delivery] = await logWhen(hook, ({ success }) => success);
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
  ] as const)('carry all data of %s', async (type, data) => {
    const hook = await subscribe([type]);
    await notifier.onEvent(eventOf(hook.workspaceId, type, data as never));
    const [request] = await received(hook.path, 1);
    expect(JSON.parse(request!.body.toString()).data).toEqual(data);
    expect(request!.headers['x-service-event']).toBe(type);
  });

  it('are retried after a failure, under the same id, and end with the first success', async () => {
    const hook = await subscribe();
    receiver.respond(hook.path, (turn) => (turn === 0 ? 500 : 204));
    await notifier.onEvent(debateOf(hook.workspaceId));
    const [first, second, ...more] = await received(hook.path, 2);
    expect(more).toEqual([]);
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery']);
    expect(isSigned(second!, hook.secret) && isStandardSigned(second!, hook.secret)).toBe(true);
    const [delivery] = await logWhen(hook, ({ success }) => success);
    expect(delivery).toMatchObject({ statusCode: 204, retryCount: 1, error: '' });
  });

  it('fail for good after three attempts', async () => {
    const hook = await subscribe();
    receiver.respond(hook.path, () => 503);
    await notifier.onEvent(debateOf(hook.workspaceId));
    const [delivery] = await logWhen(hook, ({ retryCount }) => retryCount === 2);
    expect(delivery).toMatchObject({
      success: false,
      statusCode: 503,
      error: 'http_status',
    });
    expect(delivery!.deliveredAt).toBeUndefined();
    const attempts = receiver.requestsOf(hook.path).map((one) => one.headers['x-service-delivery']);
    expect(new Set(attempts).size).toBe(3);
  });

  it('follow the schedule: at once, 1 s and 5 s after the end of the previous attempt', async () => {
    await using exact = await openNotifier(database.urls.notifier!, {
      retryDelaysMs: undefined,
    });
    // Either notifier may make any attempt; the one that made the previous attempt sets the delay.
    await notifier[Symbol.asyncDispose]();
    const hook = await subscribe([DEBATE], exact);
    const ends: number[] = [];
    receiver.respond(hook.path, (_turn, response) => {
      setTimeout(() => {
        ends.push(performance.now());
        response.writeHead(500).end();
      }, 200);
      return 'wait';
    });
    await exact.onEvent(debateOf(hook.workspaceId));
    const [, second, third] = await received(hook.path, 3);
    notifier = await openNotifier(database.urls.notifier!);
    expect(second!.at - ends[0]!).toBeGreaterThanOrEqual(1_000);
    expect(third!.at - ends[1]!).toBeGreaterThanOrEqual(5_000);
    await logWhen(hook, ({ retryCount }) => retryCount === 2);
  }, 20_000);

  it('are one per event and webhook, however often and wherever the event arrives', async () => {
    await using replica = await openNotifier(database.urls.notifier!);
    const hook = await subscribe();
    const event = debateOf(hook.workspaceId);
    const last = debateOf(hook.workspaceId);
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 ? notifier : replica).onEvent(event)),
    );
    await notifier.onEvent(last);
    await logWhen(hook, ({ success }) => success);
    expect(await logOf(hook)).toHaveLength(2);
    expect(receiver.requestsOf(hook.path)).toHaveLength(2);
  });

  it('skip webhooks that are not subscribed, are paused or belong to other workspaces', async () => {
    const wanted = await subscribe();
    const unasked = await subscribe(['simulation.report.ready']);
    const stranger = await subscribe();
    const inside = { ...unasked, ...as(wanted.workspaceId) };
    const paused = await notifier.webhooks.createWebhook(
      { url: receiver.urlOf('/paused-before'), events: [DEBATE] },
      inside,
    );
    await notifier.webhooks.updateWebhook({ id: paused.webhook!.id, isActive: false }, inside);
    await notifier.onEvent(debateOf(wanted.workspaceId));
    await received(wanted.path, 1);
    await notifier.webhooks.updateWebhook({ id: paused.webhook!.id, isActive: true }, inside);
    for (const one of [unasked, stranger]) expect(await logOf(one)).toEqual([]);
    expect(await logOf({ workspaceId: wanted.workspaceId, id: paused.webhook!.id })).toEqual([]);
  });

  it('of an unknown type of event do not exist, and an invalid event is refused', async () => {
    const { workspaceId } = await subscribe();
    const event = debateOf(workspaceId);
    await notifier.onEvent({ ...event, type: 'agent.retired' });
    const broken = { ...event, payload: Uint8Array.of(0xff) };
    await expect(notifier.onEvent(broken)).rejects.toThrow(/premature|varint|illegal|invalid/i);
    await notifier.onEvent(event);
  });

  it('that were due while their webhook was paused are sent when it resumes', async () => {
    const hook = await subscribe();
    let pausing: Promise<unknown> | undefined;
    receiver.respond(hook.path, (turn, response) => {
      if (turn > 0) return 200;
      pausing = notifier.webhooks
        .updateWebhook({ id: hook.id, isActive: false }, as(hook.workspaceId))
        .then(() => response.writeHead(500).end());
      return 'wait';
    });
    await notifier.onEvent(debateOf(hook.workspaceId));
    await received(hook.path, 1);
    await pausing;
    await logWhen(hook, ({ statusCode }) => statusCode === 500);
    // Other deliveries with the same delay are sent meanwhile.
    const beside = await subscribe();
    receiver.respond(beside.path, (turn) => (turn === 0 ? 500 : 200));
    await notifier.onEvent(debateOf(beside.workspaceId));
    await received(beside.path, 2);
    expect(receiver.requestsOf(hook.path)).toHaveLength(1);
    await notifier.webhooks.updateWebhook({ id: hook.id, isActive: true }, as(hook.workspaceId));
    await received(hook.path, 2);
    await logWhen(hook, ({ success, retryCount }) => success && retryCount === 1);
  });

  it('follow their webhook to its new address, with its new secret', async () => {
    const hook = await subscribe();
    const moved = `/${newId('hook')}`;
    let secret = '';
    receiver.respond(hook.path, (_turn, response) => {
      void notifier.webhooks
        .updateWebhook({ id: hook.id, url: receiver.urlOf(moved) }, as(hook.workspaceId))
        .then(async () => {
          const call = as(hook.workspaceId);
          ({ secret } = await notifier.webhooks.rotateSecret({ id: hook.id }, call));
          response.writeHead(500).end();
        });
      return 'wait';
    });
    await notifier.onEvent(debateOf(hook.workspaceId));
    const [request] = await received(moved, 1);
    expect(receiver.requestsOf(hook.path)).toHaveLength(1);
    expect(isSigned(request!, secret)).toBe(true);
    expect(isSigned(request!, hook.secret)).toBe(false);
    // `webhook-signature` contains both signatures.
    expect(isStandardSigned(request!, secret)).toBe(true);
    expect(isStandardSigned(request!, hook.secret)).toBe(true);
  });

  it('of a deleted webhook are gone with their history, and nothing more is sent', async () => {
    const hook = await subscribe();
    let deleting: Promise<unknown> | undefined;
    receiver.respond(hook.path, (_turn, response) => {
      deleting = notifier.webhooks
        .deleteWebhook({ id: hook.id }, as(hook.workspaceId))
        .then(() => response.writeHead(500).end());
      return 'wait';
    });
    await notifier.onEvent(debateOf(hook.workspaceId));
    await received(hook.path, 1);
    await deleting;
    await expect(logOf(hook)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const beside = await subscribe();
    receiver.respond(beside.path, (turn) => (turn < 2 ? 500 : 200));
    await notifier.onEvent(debateOf(beside.workspaceId));
    await received(beside.path, 3);
    expect(receiver.requestsOf(hook.path)).toHaveLength(1);
  });

  it('are sent again by hand, as a delivery of their own with the whole schedule', async () => {
    const hook = await subscribe();
    receiver.respond(hook.path, (turn) => (turn < 4 ? 500 : 200));
    await notifier.onEvent(debateOf(hook.workspaceId));
    const [failed] = await logWhen(hook, ({ retryCount }) => retryCount === 2);
    const { delivery } = await notifier.deliveries.redeliver(
      { webhookId: hook.id, deliveryId: failed!.id },
      as(hook.workspaceId),
    );
    expect(delivery).toMatchObject({ event: DEBATE, success: false, retryCount: 0 });
    const log = await eventually(async () => {
      const found = await logOf(hook);
      return found[0]!.success ? found : undefined;
    });
    expect(log.map(({ id }) => id)).toEqual([delivery!.id, failed!.id]);
    expect(log[0]).toMatchObject({ retryCount: 1, statusCode: 200 });
    expect(log[1]).toMatchObject({ success: false, retryCount: 2 });
    const requests = receiver.requestsOf(hook.path);
    expect(requests.at(-1)!.body.equals(requests[0]!.body)).toBe(true);
    const elsewhere = { webhookId: hook.id, deliveryId: newId('dlv') };
    const none = notifier.deliveries.redeliver(elsewhere, as(hook.workspaceId));
    await expect(none).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('of a test are one attempt, at once, also when paused, and logged', async () => {
    const hook = await subscribe();
    const call = as(hook.workspaceId);
    await notifier.webhooks.updateWebhook({ id: hook.id, isActive: false }, call);
    receiver.respond(hook.path, (turn) => (turn === 0 ? 202 : 418));
    const good = await notifier.deliveries.sendTest({ webhookId: hook.id }, call);
    expect(good).toMatchObject({ success: true, statusCode: 202 });
    const [request] = receiver.requestsOf(hook.path);
    const envelope = JSON.parse(request!.body.toString());
    expect(envelope).toEqual({
      event: 'webhook.test',
      data: { webhookId: hook.id, message: expect.any(String), timestamp: envelope.timestamp },
      timestamp: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{3}Z$/),
      webhookId: hook.id,
    });
    expect(isSigned(request!, hook.secret) && isStandardSigned(request!, hook.secret)).toBe(true);
    const bad = await notifier.deliveries.sendTest({ webhookId: hook.id }, call);
    expect(bad).toMatchObject({ success: false, statusCode: 418 });
    expect(await logOf(hook)).toMatchObject([
      { event: 'webhook.test', success: false, statusCode: 418, retryCount: 0 },
      { event: 'webhook.test', success: true, statusCode: 202, retryCount: 0 },
    ]);
    expect(receiver.requestsOf(hook.path)).toHaveLength(2);
  });
});
