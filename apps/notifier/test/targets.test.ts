import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { TestDatabase, Responder, Receiver } from '@witan/testing';
import { optionsFor, eventOf, openNotifier } from './open-notifier.ts';
import type { TestNotifier } from './open-notifier.ts';

const DEBATE = 'debate.synthesized';
const BUDGET_MS = 300;
/** Longer than the part of a response body that is read. */
const LONG_TEXT = 'x'.repeat(100_000);

describe('webhook targets', () => {
  let database: TestDatabase;
  let receiver: Receiver;
  let notifier: TestNotifier;
  const lookedUp: string[] = [];
  const addressesByName = new Map([
    ['public.example', ['93.184.215.14']],
    ['private.example', ['93.184.215.14', '10.1.2.3']],
  ]);
  beforeAll(async () => {
    database = await createTestDatabase(['notifier']);
    receiver = await openReceiver();
    notifier = await openNotifier(database.urls.notifier!, {
      attemptTimeoutMs: BUDGET_MS,
      retryDelaysMs: [],
      lookup: async ({ hostname }) => {
        lookedUp.push(hostname);
        return addressesByName.get(hostname) ?? [];
      },
    });
  });
  afterAll(async () => {
    await notifier[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const createWebhookAt = (url: string, workspaceId = newId('ws')) =>
    notifier.webhooks.createWebhook({ url, events: [DEBATE] }, optionsFor(workspaceId));
  const blocked = { reason: 'INVALID_REQUEST', fields: { code: 'blocked_address', param: 'url' } };

  it('must be public or unresolvable when they are set', async () => {
    const { webhook } = await createWebhookAt('HTTPS://Public.Example:443/in?a=1');
    expect(webhook!.url).toBe('https://public.example/in?a=1');
    expect((await createWebhookAt('https://tomorrow.example/')).webhook!.url).toBe(
      'https://tomorrow.example/',
    );
    for (const url of [
      'https://private.example/',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/',
      'http://public.example/',
      'https://localhost/',
    ]) {
      await expect(createWebhookAt(url)).rejects.toMatchObject(blocked);
    }
    for (const text of ['', 'public.example', 'not a url']) {
      const failure: unknown = await createWebhookAt(text).catch((error: unknown) => error);
      expect(failure).toMatchObject({ reason: 'INVALID_REQUEST', fields: { param: 'url' } });
      expect(failure).not.toHaveProperty('fields.code');
    }
  });

  it('are checked on update, but not for webhooks of other workspaces', async () => {
    const workspaceId = newId('ws');
    const { webhook } = await createWebhookAt('https://public.example/', workspaceId);
    const change = { id: webhook!.id, url: 'https://private.example/' };
    const own = notifier.webhooks.updateWebhook(change, optionsFor(workspaceId));
    await expect(own).rejects.toMatchObject(blocked);
    const foreign = notifier.webhooks.updateWebhook(change, optionsFor(newId('ws')));
    await expect(foreign).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('are not looked up for a workspace that may have no further webhook', async () => {
    const workspaceId = newId('ws');
    const create = (host: string) => createWebhookAt(`https://${host}.example/`, workspaceId);
    await Promise.all(Array.from({ length: 50 }, () => create('public')));
    const failure = { reason: 'CONFLICT', fields: { code: 'webhook_limit_reached' } };
    await expect(create('one-more')).rejects.toMatchObject(failure);
    expect(lookedUp).not.toContain('one-more.example');
  });

  const deliverTo = async (url: string) => {
    const workspaceId = newId('ws');
    const { webhook } = await createWebhookAt(url, workspaceId);
    await notifier.onEvent(eventOf(workspaceId, DEBATE, { conversationId: 'c', synthesis: 's' }));
    return eventually(async () => {
      const request = { webhookId: webhook!.id };
      const { deliveries } = await notifier.deliveries.listDeliveries(
        request,
        optionsFor(workspaceId),
      );
      const [delivery] = deliveries;
      return delivery && (delivery.success || delivery.error) ? delivery : undefined;
    });
  };

  it.each<[string, string, Responder | undefined, { statusCode: number; error: string }]>([
    ['responds with 400', '/bad', () => 400, { statusCode: 400, error: 'http_status' }],
    ['redirects', '/moved', () => 302, { statusCode: 302, error: 'http_status' }],
    ['does not respond', '/hangs', () => 'wait', { statusCode: 0, error: 'timeout' }],
    [
      'closes the connection',
      '/breaks',
      (_attempt, response) => {
        response.destroy();
        return 'wait';
      },
      { statusCode: 0, error: 'connect' },
    ],
    [
      'sends a long body',
      '/long',
      (_attempt, response) => {
        response.writeHead(200).end(LONG_TEXT);
        return 'wait';
      },
      { statusCode: 200, error: '' },
    ],
    [
      'sends headers that are too long',
      '/headers',
      (_attempt, response) => {
        response.writeHead(200, { 'x-long': LONG_TEXT }).end();
        return 'wait';
      },
      { statusCode: 0, error: 'response_too_large' },
    ],
  ])(
    'are logged with their result if the receiver %s',
    async (_name, path, responder, expected) => {
      if (responder) receiver.respond(path, responder);
      const delivery = await deliverTo(receiver.urlOf(path));
      expect(delivery).toMatchObject({ ...expected, success: expected.error === '' });
      expect(receiver.requestsOf(path)).toHaveLength(1);
    },
  );

  it('are logged as failed if the port is closed or the name does not resolve', async () => {
    const closed = await openReceiver();
    await closed[Symbol.asyncDispose]();
    const failed = { success: false, statusCode: 0 };
    expect(await deliverTo(closed.urlOf('/'))).toMatchObject({ ...failed, error: 'connect' });
    const unresolved = await deliverTo('https://tomorrow.example/');
    expect(unresolved).toMatchObject({ ...failed, error: 'dns' });
  });

  it('are not called if their name resolves to a private address later', async () => {
    addressesByName.set('moves.example', ['93.184.215.14']);
    const workspaceId = newId('ws');
    const { webhook } = await createWebhookAt('https://moves.example/', workspaceId);
    addressesByName.set('moves.example', ['127.0.0.1']);
    const tested = await notifier.deliveries.sendTest(
      { webhookId: webhook!.id },
      optionsFor(workspaceId),
    );
    expect(tested).toMatchObject({ success: false, statusCode: 0 });
    expect(await deliverTo('https://moves.example/').catch((error) => error)).toMatchObject(
      blocked,
    );
    const { deliveries } = await notifier.deliveries.listDeliveries(
      { webhookId: webhook!.id },
      optionsFor(workspaceId),
    );
    expect(deliveries).toMatchObject([{ event: 'webhook.test', error: 'blocked_address' }]);
  });
});
