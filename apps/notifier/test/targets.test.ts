import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { TestDatabase, Responder, Receiver } from '@witan/testing';
import { as, eventOf, openNotifier } from './open-notifier.ts';
import type { TestNotifier } from './open-notifier.ts';

const DEBATE = 'debate.synthesized';
const BUDGET_MS = 300;
/** More than is read of an answer. */
const LONG = 'x'.repeat(100_000);

describe('the targets of webhooks', () => {
  let database: TestDatabase;
  let receiver: Receiver;
  let notifier: TestNotifier;
  /** What the names of these tests resolve to; others do not. */
  const names = new Map([
    ['public.example', ['93.184.215.14']],
    ['inside.example', ['93.184.215.14', '10.1.2.3']],
  ]);
  beforeAll(async () => {
    database = await createTestDatabase(['notifier']);
    receiver = await openReceiver();
    notifier = await openNotifier(database.urls.notifier!, {
      attemptTimeoutMs: BUDGET_MS,
      retryDelaysMs: [],
      lookup: async ({ hostname }) => names.get(hostname) ?? [],
    });
  });
  afterAll(async () => {
    await notifier[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const make = (url: string, workspaceId = newId('ws')) =>
    notifier.webhooks.createWebhook({ url, events: [DEBATE] }, as(workspaceId));
  const blocked = { reason: 'INVALID_REQUEST', fields: { code: 'blocked_address', param: 'url' } };

  it('are public when they are set, or not known yet', async () => {
    const { webhook } = await make('HTTPS://Public.Example:443/in?a=1');
    expect(webhook!.url).toBe('https://public.example/in?a=1');
    expect((await make('https://tomorrow.example/')).webhook!.url).toBe(
      'https://tomorrow.example/',
    );
    for (const url of [
      'https://inside.example/',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/',
      'http://public.example/',
      'https://localhost/',
    ]) {
      await expect(make(url)).rejects.toMatchObject(blocked);
    }
    for (const text of ['', 'public.example', 'not a url']) {
      const failure: unknown = await make(text).catch((error: unknown) => error);
      expect(failure).toMatchObject({ reason: 'INVALID_REQUEST', fields: { param: 'url' } });
      expect(failure).not.toHaveProperty('fields.code');
    }
  });

  it('are judged when they change, and nobody tries them out at a webhook of others', async () => {
    const workspaceId = newId('ws');
    const { webhook } = await make('https://public.example/', workspaceId);
    const change = { id: webhook!.id, url: 'https://inside.example/' };
    const own = notifier.webhooks.updateWebhook(change, as(workspaceId));
    await expect(own).rejects.toMatchObject(blocked);
    const foreign = notifier.webhooks.updateWebhook(change, as(newId('ws')));
    await expect(foreign).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  /** The end of a delivery to a URL, as the log shows it. */
  const deliverTo = async (url: string) => {
    const workspaceId = newId('ws');
    const { webhook } = await make(url, workspaceId);
    await notifier.onEvent(eventOf(workspaceId, DEBATE, { conversationId: 'c', synthesis: 's' }));
    return eventually(async () => {
      const request = { webhookId: webhook!.id };
      const { deliveries } = await notifier.deliveries.listDeliveries(request, as(workspaceId));
      const [one] = deliveries;
      return one && (one.success || one.error) ? one : undefined;
    });
  };

  it.each<[string, string, Responder | undefined, { statusCode: number; error: string }]>([
    ['answers 400', '/bad', () => 400, { statusCode: 400, error: 'http_status' }],
    ['redirects', '/moved', () => 302, { statusCode: 302, error: 'http_status' }],
    ['hangs', '/hangs', () => 'wait', { statusCode: 0, error: 'timeout' }],
    [
      'breaks off',
      '/breaks',
      (_turn, response) => {
        response.destroy();
        return 'wait';
      },
      { statusCode: 0, error: 'connect' },
    ],
    [
      'answers at length',
      '/long',
      (_turn, response) => {
        response.writeHead(200).end(LONG);
        return 'wait';
      },
      { statusCode: 200, error: '' },
    ],
    [
      'answers in headers without end',
      '/headers',
      (_turn, response) => {
        response.writeHead(200, { 'x-long': LONG }).end();
        return 'wait';
      },
      { statusCode: 0, error: 'response_too_large' },
    ],
  ])('that %s: the log says so', async (_name, path, answer, expected) => {
    if (answer) receiver.respond(path, answer);
    const delivery = await deliverTo(receiver.urlOf(path));
    expect(delivery).toMatchObject({ ...expected, success: expected.error === '' });
    expect(receiver.requestsOf(path)).toHaveLength(1);
  });

  it('that nobody listens at, or whose name leads nowhere: the log says so', async () => {
    const closed = await openReceiver();
    await closed[Symbol.asyncDispose]();
    const failed = { success: false, statusCode: 0 };
    expect(await deliverTo(closed.urlOf('/'))).toMatchObject({ ...failed, error: 'connect' });
    const gone = await deliverTo('https://tomorrow.example/');
    expect(gone).toMatchObject({ ...failed, error: 'dns' });
  });

  it('that moved inside after they were set are not called', async () => {
    names.set('moves.example', ['93.184.215.14']);
    const workspaceId = newId('ws');
    const { webhook } = await make('https://moves.example/', workspaceId);
    names.set('moves.example', ['127.0.0.1']);
    const tested = await notifier.deliveries.sendTest({ webhookId: webhook!.id }, as(workspaceId));
    expect(tested).toMatchObject({ success: false, statusCode: 0 });
    expect(await deliverTo('https://moves.example/').catch((error) => error)).toMatchObject(
      blocked,
    );
    const { deliveries } = await notifier.deliveries.listDeliveries(
      { webhookId: webhook!.id },
      as(workspaceId),
    );
    expect(deliveries).toMatchObject([{ event: 'webhook.test', error: 'blocked_address' }]);
  });
});
