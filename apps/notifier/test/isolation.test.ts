import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { TestDatabase, Receiver } from '@witan/testing';
import { optionsFor, eventOf, openNotifier } from './open-notifier.ts';
import type { TestNotifier } from './open-notifier.ts';

const HANGING_DELIVERIES = 49;
const EVENTS = 12;
const DEBATE = 'debate.synthesized';

describe('a healthy webhook among webhooks that hang', () => {
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

  it('receives all events while the others have 4 attempts in flight each', async () => {
    const workspaceId = newId('ws');
    const paths = Array.from({ length: HANGING_DELIVERIES }, (_, n) => `/hangs-${n}`);
    for (const path of [...paths, '/healthy']) {
      if (path !== '/healthy') receiver.respond(path, () => 'wait');
      const webhook = { url: receiver.urlOf(path), events: [DEBATE] };
      await notifier.webhooks.createWebhook(webhook, optionsFor(workspaceId));
    }
    const events = Array.from({ length: EVENTS }, (_, n) =>
      eventOf(workspaceId, DEBATE, { conversationId: `cnv_${n}`, synthesis: '' }),
    );
    for (const event of events) await notifier.onEvent(event);
    await eventually(async () =>
      receiver.requestsOf('/healthy').length === EVENTS ? true : undefined,
    );
    // No attempt at a hanging webhook has ended, so each must have exactly its maximum of 4 in
    // flight.
    const counts = await eventually(async () => {
      const found = paths.map((path) => receiver.requestsOf(path).length);
      return found.every((count) => count === 4) ? found : undefined;
    });
    expect(new Set(counts)).toEqual(new Set([4]));
  }, 20_000);
});
