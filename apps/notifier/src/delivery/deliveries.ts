import { notFound, TEST_EVENT, unavailable } from '@witan/contracts';
import type { AttemptResult, Delivery, DueDelivery } from './delivery.ts';
import { encodeEnvelope } from './delivery.ts';
import type { SendAttempt } from './send-attempt.ts';
import { noSuchWebhook } from '../webhook/webhooks.ts';

export type DeliveryStore = {
  /** Returns a webhook's deliveries, newest first, or undefined if the webhook does not exist. */
  list: (workspaceId: string, webhookId: string, limit: number) => Promise<Delivery[] | undefined>;
  /**
   * Inserts a copy of the delivery `original`, due now. Returns undefined if `original` does not
   * exist.
   */
  repeat: (
    workspaceId: string,
    original: { webhookId: string; id: string },
    newDelivery: { id: string },
  ) => Promise<Delivery | undefined>;
  findTarget: (
    workspaceId: string,
    webhookId: string,
  ) => Promise<Pick<DueDelivery, 'url' | 'secrets'> | undefined>;
  /**
   * Inserts the delivery of a test event. Inserts nothing if the webhook was deleted while the test
   * was being sent.
   */
  insertTest: (
    workspaceId: string,
    test: { id: string; webhookId: string; event: string; body: string; createdAt: Date },
    result: AttemptResult,
  ) => Promise<void>;
};

export type Deliveries = {
  /**
   * Returns the last 50 deliveries of a webhook, newest first. Throws NOT_FOUND if it does not
   * exist.
   */
  list: (workspaceId: string, webhookId: string) => Promise<Delivery[]>;
  /**
   * Creates a new delivery of the same event, which has all attempts of the webhook's
   * schedule. Throws NOT_FOUND if the webhook has no such delivery.
   */
  redeliver: (workspaceId: string, webhookId: string, id: string) => Promise<Delivery>;
  /** Makes one attempt, also if the webhook is inactive. A 410 does not disable the webhook. */
  sendTest: (workspaceId: string, webhookId: string) => Promise<AttemptResult>;
};

export type DeliveriesDeps = {
  store: DeliveryStore;
  send: SendAttempt;
  newId: (prefix: string) => string;
  newAttemptId: () => string;
  clock: () => Date;
};

const LOG_LENGTH = 50;
const TEST_MESSAGE = 'This is a test. Your endpoint can receive events.';

export const createDeliveries = (deps: DeliveriesDeps): Deliveries => ({
  list: async (workspaceId, webhookId) => {
    const found = await deps.store.list(workspaceId, webhookId, LOG_LENGTH);
    if (!found) throw noSuchWebhook();
    return found;
  },
  redeliver: async (workspaceId, webhookId, id) => {
    const newDelivery = { id: deps.newId('dlv') };
    const created = await deps.store.repeat(workspaceId, { webhookId, id }, newDelivery);
    if (!created) throw notFound('There is no such delivery of this webhook.');
    return created;
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

/**
 * Returns the secrets. Throws UNAVAILABLE if they are undefined because they could not be
 * decrypted.
 */
export const verifySecrets = (secrets: DueDelivery['secrets']): readonly string[] => {
  if (secrets) return secrets;
  throw unavailable(
    "The webhook's secret cannot be opened with this WITAN_SECRETS_KEY: restore the one that it " +
      'was sealed with, or rotate the secret.',
  );
};
