import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { TestDatabase, Receiver } from '@witan/testing';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { as, eventOf, openNotifier } from './open-notifier.ts';
import type { TestNotifier } from './open-notifier.ts';
import { isSigned, isStandardSigned } from './verify-signatures.ts';

const DEBATE = 'debate.synthesized';
const HOST = 'receiver.fixture';

/** As in production: only https, and a private receiver only because its name is listed. */
const TARGETS = {
  environment: 'production',
  ports: [443],
  allowPrivate: [{ hostname: HOST, port: undefined }],
} as const;

describe('receivers that speak TLS', () => {
  let database: TestDatabase;
  let notifier: TestNotifier;
  const receivers: Receiver[] = [];
  const known = createTestCertificate([HOST]);
  const misnamed = createTestCertificate(['other.fixture']);
  beforeAll(async () => {
    database = await createTestDatabase(['notifier']);
    notifier = await openNotifier(database.urls.notifier!, {
      config: { targets: TARGETS },
      retryDelaysMs: [],
      lookup: async () => ['127.0.0.1'],
      ca: known.cert + misnamed.cert,
    });
  });
  afterAll(async () => {
    await notifier[Symbol.asyncDispose]();
    for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const deliver = async (certificate: typeof known) => {
    const receiver = await openReceiver(certificate);
    receivers.push(receiver);
    const workspaceId = newId('ws');
    const url = receiver.urlOf('/in').replace('127.0.0.1', HOST);
    const made = await notifier.webhooks.createWebhook({ url, events: [DEBATE] }, as(workspaceId));
    await notifier.onEvent(eventOf(workspaceId, DEBATE, { conversationId: 'c', synthesis: '§' }));
    const delivery = await eventually(async () => {
      const request = { webhookId: made.webhook!.id };
      const { deliveries } = await notifier.deliveries.listDeliveries(request, as(workspaceId));
      return deliveries.find(({ success, error }) => success || error);
    });
    return { delivery, requests: receiver.requestsOf('/in'), secret: made.secret };
  };

  it('get the signed bytes', async () => {
    const { delivery, requests, secret } = await deliver(known);
    expect(delivery).toMatchObject({ success: true, statusCode: 200 });
    const [request] = requests;
    expect(request!.headers.host).toMatch(HOST);
    expect([isSigned(request!, secret), isStandardSigned(request!, secret)]).toEqual([true, true]);
  });

  it.each([
    ['nobody signed', createTestCertificate([HOST])],
    ['is over', createTestCertificate([HOST], { notAfter: new Date(2020, 1, 1) })],
    ['is for another name', misnamed],
  ])('get nothing when their certificate %s', async (_name, certificate) => {
    const { delivery, requests } = await deliver(certificate);
    expect(delivery).toMatchObject({ success: false, statusCode: 0, error: 'tls' });
    expect(requests).toEqual([]);
  });
});
