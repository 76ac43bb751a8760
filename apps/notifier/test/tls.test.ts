import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { TestDatabase, Receiver } from '@witan/testing';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { optionsFor, eventOf, openNotifier } from './open-notifier.ts';
import type { TestNotifier } from './open-notifier.ts';
import { isSigned, isStandardSigned } from './verify-signatures.ts';

const DEBATE = 'debate.synthesized';
const HOST = 'receiver.fixture';

const TARGETS = {
  environment: 'production',
  ports: [443],
  allowPrivate: [{ hostname: HOST, port: undefined }],
} as const;

describe('receivers with TLS', () => {
  let database: TestDatabase;
  let notifier: TestNotifier;
  const receivers: Receiver[] = [];
  const trusted = createTestCertificate([HOST]);
  const otherHostCertificate = createTestCertificate(['other.fixture']);
  beforeAll(async () => {
    database = await createTestDatabase(['notifier']);
    notifier = await openNotifier(database.urls.notifier!, {
      config: { targets: TARGETS },
      retryDelaysMs: [],
      lookup: async () => ['127.0.0.1'],
      ca: trusted.cert + otherHostCertificate.cert,
    });
  });
  afterAll(async () => {
    await notifier[Symbol.asyncDispose]();
    for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const deliver = async (certificate: typeof trusted) => {
    const receiver = await openReceiver(certificate);
    receivers.push(receiver);
    const workspaceId = newId('ws');
    const url = receiver.urlOf('/in').replace('127.0.0.1', HOST);
    const created = await notifier.webhooks.createWebhook(
      { url, events: [DEBATE] },
      optionsFor(workspaceId),
    );
    await notifier.onEvent(eventOf(workspaceId, DEBATE, { conversationId: 'c', synthesis: '§' }));
    const delivery = await eventually(async () => {
      const request = { webhookId: created.webhook!.id };
      const { deliveries } = await notifier.deliveries.listDeliveries(
        request,
        optionsFor(workspaceId),
      );
      return deliveries.find(({ success, error }) => success || error);
    });
    return { delivery, requests: receiver.requestsOf('/in'), secret: created.secret };
  };

  it('receive the signed bytes', async () => {
    const { delivery, requests, secret } = await deliver(trusted);
    expect(delivery).toMatchObject({ success: true, statusCode: 200 });
    const [request] = requests;
    expect(request!.headers.host).toMatch(HOST);
    expect([isSigned(request!, secret), isStandardSigned(request!, secret)]).toEqual([true, true]);
  });

  it.each([
    ['is not from a known authority', createTestCertificate([HOST])],
    ['has expired', createTestCertificate([HOST], { notAfter: new Date(2020, 1, 1) })],
    ['is for another name', otherHostCertificate],
  ])('receive nothing if their certificate %s', async (_name, certificate) => {
    const { delivery, requests } = await deliver(certificate);
    expect(delivery).toMatchObject({ success: false, statusCode: 0, error: 'tls' });
    expect(requests).toEqual([]);
  });
});
