import { randomBytes, randomUUID } from 'node:crypto';
import {
  DeliveryService,
  EventService,
  LogService,
  WebhookService,
} from '@witan/contracts/services';
import {
  continueTrace,
  createClient,
  createWakeSignal,
  implement,
  newId,
  repeatEvery,
  startConsumer,
  verifyTargetUrl,
  withoutTrace,
  withSpan,
} from '@witan/service-kit';
import type {
  Consumer,
  GuardedClientOptions,
  Host,
  Log,
  Repetition,
  Service,
} from '@witan/service-kit';
import { ATTEMPT_TIMEOUT_MS, createPostToReceiver } from './delivery/clients/post-to-receiver.ts';
import type { Config } from './config.ts';
import { createOnEvent } from './delivery/events/on-event.ts';
import { createDeliveries, verifySecrets } from './delivery/deliveries.ts';
import { createDeliveryWorker } from './delivery/delivery-worker.ts';
import type { DeliveryWorker, DeliveryWorkerDeps } from './delivery/delivery-worker.ts';
import { RETRY_DELAYS_MS } from './delivery/retry-schedule.ts';
import { createSendAttempt } from './delivery/send-attempt.ts';
import type { SendAttempt } from './delivery/send-attempt.ts';
import { SECRET_BYTES } from './webhook/webhook.ts';
import { createWebhooks } from './webhook/webhooks.ts';
import type { OnEvent } from './delivery/events/on-event.ts';
import { createDeliveryHandlers } from './delivery/rpc/deliveries.ts';
import { createWebhookHandlers } from './webhook/rpc/webhooks.ts';
import { createFollowers } from './event/follow-events.ts';
import { createEventHandlers } from './event/rpc/events.ts';
import { carrySubmissions } from './witness/carry-submissions.ts';
import { createPostToWitness } from './witness/clients/post-to-witness.ts';
import { createSubmissions } from './witness/clients/submissions.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { openStorage } from './open-storage.ts';
import type { Storage } from './open-storage.ts';

const PER_WEBHOOK_MAX = 4;
/**
 * An attempt's timeout, up to 4 s of waiting for a connection permit, and 1 s to write the result,
 * so that the lease does not expire during an attempt.
 */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 5_000;
const CONCURRENT_EVENTS = 4;
const SWEEP_INTERVAL_MS = 10 * 60_000;
/** Minimum interval between error logs, because every attempt fails if the secrets key is wrong. */
const LOG_INTERVAL_MS = 10_000;
const STOP_GRACE_MS = ATTEMPT_TIMEOUT_MS;

/** Timings and dependencies that tests replace. */
export type Overrides = {
  /** Delays of the standard schedule. */
  retryDelaysMs?: readonly number[];
  attemptTimeoutMs?: number;
  leaseMs?: number;
  stopGraceMs?: number;
  lookup?: GuardedClientOptions['lookup'];
  ca?: string;
};

/** A service whose `onEvent` lets tests inject events without a broker. */
export type Notifier = Service & { onEvent: OnEvent };

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
  const receivers = createPostToReceiver({ policy, lookup, ca, timeoutMs, clock });
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
  const worker = startDeliveryWorker(host, storage, send, overrides);
  const followers = createFollowers();
  const wakeups = storage.onDue(() => {
    worker.wake();
    followers.wake();
  });
  const onEvent = createOnEvent({ record: storage.recordEvent, newId });
  const consumer = startConsuming(host, storage, onEvent);
  const sweeping = startSweeping(host, storage);
  const carrying = config.isCarrying ? startCarrying(host, { policy, lookup, ca }) : undefined;
  return {
    implementations: [
      implement(WebhookService, createWebhookHandlers(webhooks)),
      implement(DeliveryService, createDeliveryHandlers(deliveries)),
      implement(
        EventService,
        createEventHandlers({ events: storage.recentEvents, followers, createWakeSignal }),
      ),
    ],
    checks: { database: storage.check },
    onEvent,
    stop: async () => {
      await Promise.all([consumer.stop(), sweeping.stop(), carrying?.stop()]);
      await wakeups.stop();
      await worker.stop(overrides.stopGraceMs ?? STOP_GRACE_MS);
      await receivers.close();
      await storage[Symbol.asyncDispose]();
    },
  };
};

const startConsuming = (
  { events, log, registry }: Host,
  { markEventDead }: Storage,
  handle: OnEvent,
): Consumer =>
  startConsumer({
    events,
    durable: 'notifier',
    handle,
    onPoison: markEventDead,
    concurrency: CONCURRENT_EVENTS,
    log,
    registry,
  });

/** How often the ledger is asked for requests to the witnesses of its transparency log. */
const CARRY_INTERVAL_MS = 1_000;

const startCarrying = (host: Host, options: GuardedClientOptions): Repetition => {
  const { post, close } = createPostToWitness(options);
  const submissions = createSubmissions(createClient(LogService, host.connect('ledger')));
  const isLogDue = createRateLimit(LOG_INTERVAL_MS);
  const repetition = repeatEvery(
    CARRY_INTERVAL_MS,
    () => withoutTrace(() => carrySubmissions(submissions, post)),
    (err: unknown) => {
      if (!isLogDue()) return;
      host.log.warn(
        { event: 'log_submission_failed', err },
        'The log was not submitted to its witnesses, will retry',
      );
    },
  );
  return {
    stop: async () => {
      await repetition.stop();
      await close();
    },
  };
};

const startSweeping = ({ log }: Host, { sweep }: Storage): Repetition =>
  repeatEvery(
    SWEEP_INTERVAL_MS,
    async () =>
      log.debug(
        { event: 'deliveries_swept', ...(await sweep()) },
        'Expired deliveries and inbox rows deleted',
      ),
    (err) =>
      log.warn(
        { event: 'delivery_sweep_failed', err },
        'Deleting expired deliveries and inbox rows failed, will retry',
      ),
  );

const startDeliveryWorker = (
  { log, registry }: Host,
  { queue }: Storage,
  send: SendAttempt,
  { retryDelaysMs = RETRY_DELAYS_MS.standard, leaseMs = LEASE_MS }: Overrides,
): DeliveryWorker => {
  const metrics = createMetrics(registry);
  const isLogDue = createRateLimit(LOG_INTERVAL_MS);
  return createDeliveryWorker({
    queue,
    wakeSignal: createWakeSignal(),
    attempt: withEventTrace(({ id, lease, ...delivery }, signal) =>
      send({
        event: delivery.event,
        deliveryId: id,
        attemptId: lease,
        body: delivery.body,
        secrets: verifySecrets(delivery.secrets),
        url: delivery.url,
        webhookId: delivery.webhookId,
        signal,
      }),
    ),
    retryPolicy: {
      delaysMs: { ...RETRY_DELAYS_MS, standard: retryDelaysMs },
      random: Math.random,
    },
    leaseMs,
    onAttempt: (delivery, settlement, tookMs) => {
      metrics.onAttempt(delivery, settlement, tookMs);
      const { id: deliveryId, webhookId, workspaceId, attempt } = delivery;
      const { state, result } = settlement;
      if (!result) return;
      log.debug(
        {
          event: 'webhook_attempt_finished',
          deliveryId,
          webhookId,
          workspaceId,
          eventName: delivery.event,
          attempt,
          state,
          ...result,
          durationMs: tookMs,
        },
        'Webhook attempt finished',
      );
    },
    onLate: metrics.onLate,
    onDisabled: createOnDisabled(log, metrics),
    onFailure: (err, delivery) => {
      if (!delivery) {
        log.warn(
          { event: 'delivery_queue_query_failed', err },
          'A query on the delivery queue failed, this or another replica will retry',
        );
      } else if (isLogDue()) {
        log.error(
          { event: 'webhook_attempt_error', err, deliveryId: delivery.id },
          'Webhook attempt threw an unexpected error, will retry',
        );
      }
    },
  });
};

const createOnDisabled =
  (log: Log, metrics: Metrics): DeliveryWorkerDeps['onDisabled'] =>
  ({ id: deliveryId, webhookId, workspaceId }) => {
    metrics.onDisabled('gone');
    log.warn(
      { event: 'webhook_disabled', webhookId, workspaceId, deliveryId, reason: 'gone' },
      'Webhook disabled, because its receiver responded 410',
    );
  };

/** Wraps `attempt` so that each attempt is a span in the trace of its event. */
const withEventTrace =
  (attempt: DeliveryWorkerDeps['attempt']): DeliveryWorkerDeps['attempt'] =>
  (delivery, signal) => {
    const attributes = {
      'witan.workspace.id': delivery.workspaceId,
      'witan.webhook.id': delivery.webhookId,
      'witan.delivery.id': delivery.id,
      'witan.delivery.attempt': delivery.attempt,
      'witan.fact.type': delivery.event,
    };
    return continueTrace(delivery.trace, () =>
      withSpan({ name: 'deliver', role: 'internal', attributes }, async (span) => {
        const result = await attempt(delivery, signal);
        if (result.error) span.fail(result.error);
        return result;
      }),
    );
  };

const createRateLimit = (intervalMs: number): (() => boolean) => {
  let nextAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now < nextAt) return false;
    nextAt = now + intervalMs;
    return true;
  };
};
