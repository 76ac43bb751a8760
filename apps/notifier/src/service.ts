import { randomBytes, randomUUID } from 'node:crypto';
import { DeliveryService, WebhookService } from '@witan/contracts/services';
import {
  continueTrace,
  implement,
  newId,
  openBroker,
  repeatEvery,
  startConsumer,
  verifyTargetUrl,
  withSpan,
} from '@witan/service-kit';
import type { GuardedClientOptions, Host, Repetition, Service } from '@witan/service-kit';
import { ATTEMPT_TIMEOUT_MS, createPostToReceiver } from './clients/post-to-receiver.ts';
import type { Config } from './config.ts';
import { createDeliverFact } from './domain/delivery/deliver-fact.ts';
import { createDeliveries, verifySecrets } from './domain/delivery/deliveries.ts';
import type { Deliveries } from './domain/delivery/deliveries.ts';
import { openCourier } from './domain/delivery/open-courier.ts';
import type { Courier, CourierDeps } from './domain/delivery/open-courier.ts';
import { createSendAttempt } from './domain/delivery/send-attempt.ts';
import type { SendAttempt } from './domain/delivery/send-attempt.ts';
import { RETRY_DELAYS_MS } from './domain/delivery/settle-attempt.ts';
import { SECRET_BYTES } from './domain/webhook/webhook-secret.ts';
import { createWebhooks } from './domain/webhook/webhooks.ts';
import type { Webhooks } from './domain/webhook/webhooks.ts';
import { createOnFact } from './events/on-fact.ts';
import type { OnFact } from './events/on-fact.ts';
import { createCreateWebhook } from './handlers/create-webhook.ts';
import { createDeleteWebhook } from './handlers/delete-webhook.ts';
import { createGetWebhook } from './handlers/get-webhook.ts';
import { createListDeliveries } from './handlers/list-deliveries.ts';
import { createListWebhooks } from './handlers/list-webhooks.ts';
import { createRedeliver } from './handlers/redeliver.ts';
import { createRotateSecret } from './handlers/rotate-secret.ts';
import { createSendTest } from './handlers/send-test.ts';
import { createUpdateWebhook } from './handlers/update-webhook.ts';
import { createMetrics } from './metrics.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './storage/open-storage.ts';

/** Attempts of one webhook at once, over all replicas. */
const PER_WEBHOOK_MAX = 4;
/** Beyond the longest attempt, 4 s of waiting to connect, and the commit, in milliseconds. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 5_000;
/** Facts that one process turns into deliveries at the same time. */
const FACT_LANES = 4;
/** How often what is old is forgotten, in milliseconds. */
const SWEEP_EVERY_MS = 10 * 60_000;
/** With a wrong secrets key no attempt can be made, however many are due, in milliseconds. */
const TELL_EVERY_MS = 10_000;
/** How long a stopping notifier waits for attempts that run: the longest one ends by itself. */
const STOP_GRACE_MS = ATTEMPT_TIMEOUT_MS;

/** What tests make shorter or play themselves. */
export type Overrides = {
  retryDelaysMs?: readonly number[];
  attemptTimeoutMs?: number;
  leaseMs?: number;
  stopGraceMs?: number;
  lookup?: GuardedClientOptions['lookup'];
  /** PEM of an authority that receivers' certificates are signed by. */
  ca?: string;
};

/** The notifier as tests see it: they may hand over facts without a broker. */
export type Notifier = Service & { onFact: OnFact };

/** Composes the notifier: keeps webhooks, turns facts into deliveries, sends them. */
export const createService = async (
  config: Config,
  host: Host,
  overrides: Overrides = {},
): Promise<Notifier> => {
  const { log } = host;
  const { targets: policy } = config;
  const { leaseMs = LEASE_MS } = overrides;
  const limits = { perWebhook: PER_WEBHOOK_MAX, leaseMs };
  const storage = await openStorage({ ...config, limits }, log);
  const clock = (): Date => new Date();
  const { lookup, ca, attemptTimeoutMs: timeoutMs = ATTEMPT_TIMEOUT_MS } = overrides;
  const receivers = createPostToReceiver({ policy, lookup, ca, timeoutMs });
  const send = createSendAttempt({ post: receivers.post, clock });
  const webhooks = createWebhooks({
    store: storage.webhooks,
    replaceSecret: storage.replaceSecret,
    checkUrl: (url) => verifyTargetUrl(url, { policy, lookup }),
    newId,
    newSecretBytes: () => randomBytes(SECRET_BYTES),
    clock,
  });
  const deliveries = createDeliveries({
    store: storage.deliveries,
    send,
    newId,
    newAttemptId: randomUUID,
    clock,
  });
  const courier = startCourier(host, storage, send, overrides);
  const wakeups = storage.onDue(courier.wake);
  const onFact = createOnFact(createDeliverFact({ book: storage.bookFact, newId }));
  const consuming = await startConsuming(config, host, storage, onFact);
  const sweeping = startSweeping(host, storage);
  return {
    implementations: implementAll(webhooks, deliveries),
    checks: { database: storage.check },
    onFact,
    stop: async () => {
      await Promise.all([consuming.stop(), sweeping.stop()]);
      await wakeups.stop();
      await courier.stop(overrides.stopGraceMs ?? STOP_GRACE_MS);
      await receivers.close();
      await storage[Symbol.asyncDispose]();
    },
  };
};

const implementAll = (webhooks: Webhooks, deliveries: Deliveries): Service['implementations'] => [
  implement(WebhookService, {
    createWebhook: createCreateWebhook(webhooks),
    listWebhooks: createListWebhooks(webhooks),
    getWebhook: createGetWebhook(webhooks),
    updateWebhook: createUpdateWebhook(webhooks),
    deleteWebhook: createDeleteWebhook(webhooks),
    rotateSecret: createRotateSecret(webhooks),
  }),
  implement(DeliveryService, {
    listDeliveries: createListDeliveries(deliveries),
    redeliver: createRedeliver(deliveries),
    sendTest: createSendTest(deliveries),
  }),
];

/** Takes facts from the broker; without one they wait in the outboxes of their services. */
const startConsuming = async (
  { natsUrl }: Config,
  { log, registry }: Host,
  { markEventDead }: Storage,
  handle: OnFact,
): Promise<{ stop: () => Promise<void> }> => {
  const broker = await openBroker({ url: natsUrl, name: 'notifier', log });
  const consumer = startConsumer({
    broker,
    durable: 'notifier',
    handle,
    onPoison: markEventDead,
    lanes: FACT_LANES,
    log,
    registry,
  });
  return {
    stop: async () => {
      await consumer.stop();
      await broker[Symbol.asyncDispose]();
    },
  };
};

const startSweeping = ({ log }: Host, { sweep }: Storage): Repetition =>
  repeatEvery(
    SWEEP_EVERY_MS,
    async () => log.debug(await sweep(), 'forgot what is old'),
    (err) => log.warn({ err }, 'could not forget what is old; will try again'),
  );

const startCourier = (
  { log, registry }: Host,
  { queue }: Storage,
  send: SendAttempt,
  { retryDelaysMs = RETRY_DELAYS_MS, leaseMs = LEASE_MS }: Overrides,
): Courier => {
  const metrics = createMetrics(registry);
  const mayTell = atMostEvery(TELL_EVERY_MS);
  return openCourier({
    queue,
    attempt: observed(({ id, lease, ...due }, signal) =>
      send({
        event: due.event,
        deliveryId: id,
        attemptId: lease,
        body: due.body,
        secrets: verifySecrets(due.secrets),
        url: due.url,
        webhookId: due.webhookId,
        signal,
      }),
    ),
    retryDelaysMs,
    leaseMs,
    onAttempt: (due, settlement, tookMs) => {
      metrics.onAttempt(due, settlement, tookMs);
      const { id: deliveryId, webhookId, workspaceId, event, attempt } = due;
      const { state, spent } = settlement;
      log.debug(
        { deliveryId, webhookId, workspaceId, event, attempt, state, ...spent, tookMs },
        'made an attempt',
      );
    },
    onLate: metrics.onLate,
    onFailure: (err, due) => {
      if (!due) log.warn({ err }, 'could not read or write what is due; will try again');
      else if (mayTell())
        log.error({ err, deliveryId: due.id }, 'could not make an attempt; will try again');
    },
  });
};

/** Makes attempts as part of the trace that their fact was part of. */
const observed =
  (attempt: CourierDeps['attempt']): CourierDeps['attempt'] =>
  (due, signal) => {
    const attributes = {
      'witan.workspace.id': due.workspaceId,
      'witan.webhook.id': due.webhookId,
      'witan.delivery.id': due.id,
      'witan.delivery.attempt': due.attempt,
      'witan.fact.type': due.event,
    };
    return continueTrace(due.trace, () =>
      withSpan({ name: 'deliver', role: 'internal', attributes }, async (span) => {
        const result = await attempt(due, signal);
        if (result.error) span.fail(result.error);
        return result;
      }),
    );
  };

/** Says true once, and again when the time is over. */
const atMostEvery = (intervalMs: number): (() => boolean) => {
  let nextAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now < nextAt) return false;
    nextAt = now + intervalMs;
    return true;
  };
};
