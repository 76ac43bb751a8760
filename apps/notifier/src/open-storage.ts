import {
  markEventDead,
  createSecretCipher,
  everyWorkspace,
  openDatabase,
  startReencryption,
  sweepInbox,
  watchChannel,
  limitScopedClients,
} from '@witan/service-kit';
import type { Database, Log, Poison } from '@witan/service-kit';
import type { DeliveryStore } from './delivery/deliveries.ts';
import type { RecordEvent } from './delivery/delivery.ts';
import type { DeliveryQueue } from './delivery/delivery-worker.ts';
import type { ReplaceSecret, WebhookStore } from './webhook/webhook.ts';
import {
  DUE_CHANNEL_SQL,
  createReplaceSecret,
  createWebhookStore,
  WebhookEntity,
} from './webhook/store/webhook-store.ts';
import { createDeliveryQueue, createRecordEvent } from './delivery/store/delivery-queue.ts';
import type { QueueLimits } from './delivery/store/delivery-queue.ts';
import {
  createDeliveryStore,
  DeliveryEntity,
  sweepDeliveries,
} from './delivery/store/delivery-store.ts';
import type { RecentEvents } from './event/follow-events.ts';
import { createRecentEvents, sweepRecentEvents } from './event/store/recent-event-store.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { ENCRYPTED_SECRETS } from './webhook/store/encrypted-secret.ts';

/** Followers of events leave connections of the pool to deliveries. */
const FOLLOWER_READS = { runningMax: 2, pendingMax: 10_000 };

export type Storage = AsyncDisposable & {
  webhooks: WebhookStore;
  replaceSecret: ReplaceSecret;
  deliveries: DeliveryStore;
  queue: DeliveryQueue;
  recordEvent: RecordEvent;
  recentEvents: RecentEvents;
  markEventDead: (poison: Poison) => Promise<void>;
  /**
   * Deletes ended deliveries, inbox rows and recent events that are older than their retention
   * time, and returns how many.
   */
  sweep: () => Promise<{ deliveries: number; inboxRows: number; recentEvents: number }>;
  /** Calls `wake` when any replica notifies that deliveries may be due, or that an event came. */
  onDue: (wake: () => void) => { stop: () => Promise<void> };
  check: Database['check'];
};

export type StorageOptions = {
  databaseUrl: string;
  secretsKey: string;
  limits: QueueLimits;
};

export const openStorage = async (
  { databaseUrl, secretsKey, limits }: StorageOptions,
  log: Log,
): Promise<Storage> => {
  const secretCipher = createSecretCipher(secretsKey);
  const database = await openDatabase({
    url: databaseUrl,
    schema: 'notifier',
    entities: [WebhookEntity, DeliveryEntity],
    migrations: MIGRATIONS,
    log,
  });
  const reencryption = startReencryption(database, secretCipher, { ...ENCRYPTED_SECRETS, log });
  return {
    webhooks: createWebhookStore(database, secretCipher),
    replaceSecret: createReplaceSecret(database, secretCipher),
    deliveries: createDeliveryStore(database, secretCipher),
    queue: createDeliveryQueue(database.pool, secretCipher, limits),
    recordEvent: createRecordEvent(database.pool),
    recentEvents: createRecentEvents(limitScopedClients(database, FOLLOWER_READS)),
    markEventDead: (poison) => database.scoped(everyWorkspace, (em) => markEventDead(em, poison)),
    sweep: async () => ({
      deliveries: await sweepDeliveries(database),
      inboxRows: await sweepInbox(database),
      recentEvents: await sweepRecentEvents(database),
    }),
    onDue: (wake) => watchChannel({ database, channelSql: DUE_CHANNEL_SQL, onNotify: wake, log }),
    check: database.check,
    [Symbol.asyncDispose]: async () => {
      await reencryption.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};
