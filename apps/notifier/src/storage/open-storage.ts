import {
  markEventDead,
  createSecretCipher,
  everyWorkspace,
  openDatabase,
  startReencryption,
  sweepInbox,
  watchChannel,
} from '@witan/service-kit';
import type { Database, Log, Poison } from '@witan/service-kit';
import type { DeliveryStore } from '../domain/delivery/deliveries.ts';
import type { BookFact } from '../domain/delivery/deliver-fact.ts';
import type { DeliveryQueue } from '../domain/delivery/open-courier.ts';
import type { ReplaceSecret, WebhookStore } from '../domain/webhook/webhook.ts';
import { DUE_CHANNEL_SQL } from './announce-due.ts';
import { createDeliveryQueue } from './delivery-queue.ts';
import type { QueueLimits } from './delivery-queue.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { DeliveryEntity, WebhookEntity } from './entities.ts';
import { createBookFact } from './fact-store.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { SEALED_SECRETS } from './sealed-secret.ts';
import { sweepDeliveries } from './sweep-deliveries.ts';
import { createReplaceSecret, createWebhookStore } from './webhook-store.ts';

/** The notifier's own schema, open. */
export type Storage = AsyncDisposable & {
  webhooks: WebhookStore;
  replaceSecret: ReplaceSecret;
  deliveries: DeliveryStore;
  queue: DeliveryQueue;
  bookFact: BookFact;
  /** Keeps a fact that could not be handled, for an operator. */
  markEventDead: (poison: Poison) => Promise<void>;
  /** Forgets deliveries that ended, and facts that were booked, long ago. */
  sweep: () => Promise<{ deliveries: number; facts: number }>;
  /** Calls back whenever some replica committed something to send; answers how to end that. */
  onDue: (wake: () => void) => { stop: () => Promise<void> };
  check: Database['check'];
};

export type StorageOptions = {
  databaseUrl: string;
  /** Keys of 32 bytes in base64, the first of which seals. */
  secretsKey: string;
  limits: QueueLimits;
};

/** Opens and migrates the schema. */
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
  const resealing = startReencryption(database, secretCipher, { ...SEALED_SECRETS, log });
  return {
    webhooks: createWebhookStore(database, secretCipher),
    replaceSecret: createReplaceSecret(database, secretCipher),
    deliveries: createDeliveryStore(database, secretCipher),
    queue: createDeliveryQueue(database.pool, secretCipher, limits),
    bookFact: createBookFact(database.pool),
    markEventDead: (poison) => database.scoped(everyWorkspace, (em) => markEventDead(em, poison)),
    sweep: async () => ({
      deliveries: await sweepDeliveries(database),
      facts: await sweepInbox(database),
    }),
    onDue: (wake) => watchChannel({ database, channelSql: DUE_CHANNEL_SQL, onNotify: wake, log }),
    check: database.check,
    [Symbol.asyncDispose]: async () => {
      await resealing.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};
