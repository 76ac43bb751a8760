import { notFound, TEST_EVENT, unavailable } from '@witan/contracts';
import type { AttemptResult, Delivery, DueDelivery } from './delivery.ts';
import { encodeEnvelope } from './encode-envelope.ts';
import type { SendAttempt } from './send-attempt.ts';
import { noSuchWebhook } from '../webhook/webhooks.ts';

export type DeliveryStore = {
  /** Returns deliveries, newest first; undefined if the webhook does not exist. */
  list: (workspaceId: string, webhookId: string, limit: number) => Promise<Delivery[] | undefined>;
  /** Copies a delivery's content into a new one that is due now; undefined if there is none. */
  repeat: (
    workspaceId: string,
    original: { webhookId: string; id: string },
    copy: { id: string },
  ) => Promise<Delivery | undefined>;
  /** Returns the target of a test; undefined if the webhook does not exist. */
  findTarget: (
    workspaceId: string,
    webhookId: string,
  ) => Promise<Pick<DueDelivery, 'url' | 'secrets'> | undefined>;
  /** Stores a test that was sent, unless its webhook was deleted meanwhile. */
  insertTest: (
    workspaceId: string,
    test: { id: string; webhookId: string; event: string; body: string; createdAt: Date },
    result: AttemptResult,
  ) => Promise<void>;
};

export type Deliveries = {
  /** Returns the last 50, newest first. Throws NOT_FOUND. */
  list: (workspaceId: string, webhookId: string) => Promise<Delivery[]>;
  /** Makes a new delivery with the whole schedule. Throws NOT_FOUND. */
  redeliver: (workspaceId: string, webhookId: string, id: string) => Promise<Delivery>;
  /** Makes and stores one attempt, also for a paused webhook. Throws NOT_FOUND. */
  sendTest: (workspaceId: string, webhookId: string) => Promise<AttemptResult>;
};

export type DeliveriesDeps = {
  store: DeliveryStore;
  send: SendAttempt;
  newId: (prefix: string) => string;
  newAttemptId: () => string;
  clock: () => Date;
};

/** Deliveries that the API lists. */
const LOG_LENGTH = 50;
const TEST_MESSAGE = 'This is a test. Your endpoint can receive events.';

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

/** Throws UNAVAILABLE for secrets that were encrypted with another key. */
export const verifySecrets = (secrets: DueDelivery['secrets']): readonly string[] => {
  if (secrets) return secrets;
  throw unavailable(
    "The webhook's secret cannot be opened with this WITAN_SECRETS_KEY: restore the one that it " +
      'was sealed with, or rotate the secret.',
  );
};
