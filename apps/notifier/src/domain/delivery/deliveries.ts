import { notFound, TEST_EVENT, unavailable } from '@witan/contracts';
import type { AttemptResult, Delivery, DueDelivery } from './delivery.ts';
import { encodeEnvelope } from './encode-envelope.ts';
import type { SendAttempt } from './send-attempt.ts';
import { noSuchWebhook } from '../webhook/webhooks.ts';

/** What a workspace sees of its deliveries, and what it may start by hand. */
export type DeliveryStore = {
  /** The newest ones first; undefined when there is no such webhook. */
  list: (workspaceId: string, webhookId: string, limit: number) => Promise<Delivery[] | undefined>;
  /** Copies a delivery's content into a new one that is due now; undefined: there is no such. */
  repeat: (
    workspaceId: string,
    original: { webhookId: string; id: string },
    copy: { id: string },
  ) => Promise<Delivery | undefined>;
  /** Where a test goes; undefined when there is no such webhook. */
  findTarget: (
    workspaceId: string,
    webhookId: string,
  ) => Promise<Pick<DueDelivery, 'url' | 'secrets'> | undefined>;
  /** Keeps a test that was sent, unless its webhook was deleted meanwhile. */
  insertTest: (
    workspaceId: string,
    test: { id: string; webhookId: string; event: string; body: string; createdAt: Date },
    result: AttemptResult,
  ) => Promise<void>;
};

export type Deliveries = {
  /** The last 50, newest first. Throws NOT_FOUND. */
  list: (workspaceId: string, webhookId: string) => Promise<Delivery[]>;
  /** A new delivery with the whole schedule. Throws NOT_FOUND. */
  redeliver: (workspaceId: string, webhookId: string, id: string) => Promise<Delivery>;
  /** One attempt, now, whether the webhook is paused or not; logged. Throws NOT_FOUND. */
  sendTest: (workspaceId: string, webhookId: string) => Promise<AttemptResult>;
};

export type DeliveriesDeps = {
  store: DeliveryStore;
  send: SendAttempt;
  newId: (prefix: string) => string;
  newAttemptId: () => string;
  clock: () => Date;
};

/** Deliveries in the log (Seed 8). */
const LOG_LENGTH = 50;
const TEST_MESSAGE = 'This is a test. Your endpoint can receive events.';

/** The log of deliveries, and sending by hand. */
export const createDeliveries = (deps: DeliveriesDeps): Deliveries => ({
  list: async (workspaceId, webhookId) => {
    const found = await deps.store.list(workspaceId, webhookId, LOG_LENGTH);
    if (!found) throw noSuchWebhook();
    return found;
  },
  redeliver: async (workspaceId, webhookId, id) => {
    const copy = { id: deps.newId('dlv') };
    const made = await deps.store.repeat(workspaceId, { webhookId, id }, copy);
    if (!made) throw notFound('There is no such delivery of this webhook.');
    return made;
  },
  sendTest: (workspaceId, webhookId) => sendTest(deps, workspaceId, webhookId),
});

const sendTest = async (
  { store, send, newId, newAttemptId, clock }: DeliveriesDeps,
  workspaceId: string,
  webhookId: string,
): Promise<AttemptResult> => {
  const target = await store.findTarget(workspaceId, webhookId);
  if (!target) throw noSuchWebhook();
  const { url, secrets } = target;
  const createdAt = clock();
  const data = { webhookId, message: TEST_MESSAGE, timestamp: createdAt.toISOString() };
  const body = encodeEnvelope({ event: TEST_EVENT, data, timestamp: createdAt, webhookId });
  const test = { id: newId('dlv'), webhookId, event: TEST_EVENT, body, createdAt };
  const result = await send({
    event: TEST_EVENT,
    deliveryId: test.id,
    attemptId: newAttemptId(),
    body,
    secrets: verifySecrets(secrets),
    url,
    webhookId,
  });
  await store.insertTest(workspaceId, test, result);
  return result;
};

/** Throws UNAVAILABLE for secrets that were sealed with another key. */
export const verifySecrets = (secrets: DueDelivery['secrets']): readonly string[] => {
  if (secrets) return secrets;
  throw unavailable(
    "The webhook's secret cannot be opened with this WITAN_SECRETS_KEY: restore the one that it " +
      'was sealed with, or rotate the secret.',
  );
};
