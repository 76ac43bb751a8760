import { isServiceError } from '@witan/contracts';
import { topology as declared } from '@witan/contracts/topology';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Database } from '../database/open-database.ts';
import { everyWorkspace } from '../database/scope.ts';
import type { Log } from '../log/create-log.ts';
import { repeatEvery } from '../schedule/repeat-every.ts';
import { createWakeSignal } from '../schedule/wake-signal.ts';
import { openBroker } from './broker.ts';
import type { Broker } from './broker.ts';
import { createStreamReconciler } from './reconcile-stream.ts';
import {
  OUTBOX_CHANNEL_SQL,
  markPublications,
  readOutboxState,
  sweepOutbox,
  acquireOutboxLease,
  lockUnpublished,
  LEASE_WAIT_MAX_MS,
} from './outbox-store.ts';
import type { OutboxState } from './outbox-store.ts';
import { publishEvent } from './publish-event.ts';
import type { Publication } from './publish-event.ts';
import type { Topology } from './topology.ts';
import { watchChannel } from './watch-channel.ts';
import type { Host } from '../boot/start-service.ts';

export type Relay = { stop: () => Promise<void> };

export type RelayOptions = {
  database: Database;
  broker: Broker;
  source: string;
  log: Log;
  registry: Registry;
  topology?: Topology;
};

const BATCH_ROWS = 100;
/** Interval of polling the outbox for events whose notification was lost. */
const POLL_MS = 1_000;
const SWEEP_INTERVAL_MS = 15_000;

/**
 * Publishes committed events at least once, normally in the order of writing; an event that
 * cannot be published is marked dead. The event id is the message id, so that the broker can drop
 * duplicates. During a broker outage events wait in the outbox.
 */
export const startRelay = (options: RelayOptions): Relay => {
  const { database, broker, log } = options;
  const metrics = createRelayMetrics(options.registry);
  const wakeSignal = createWakeSignal();
  const sender = createSender(options, metrics);
  const watch = watchChannel({
    database,
    channelSql: OUTBOX_CHANNEL_SQL,
    onNotify: wakeSignal.notify,
    log,
  });
  const unsubscribe = broker.onConnect(() => {
    sender.markSuspect();
    wakeSignal.notify();
  });
  let isStopping = false;
  const run = async (): Promise<void> => {
    while (!isStopping) {
      await wakeSignal.wait(POLL_MS);
      // Checks `isStopping` before each batch, so that a stopping service does not publish the
      // whole backlog first.
      while (!isStopping && (await sender.publishBatch())) continue;
    }
  };
  const running = run();
  const sweeping = repeatEvery(
    SWEEP_INTERVAL_MS,
    async () => {
      sender.markSuspect();
      metrics.onOutboxState(await readOutboxState(database));
      await sweepOutbox(database);
    },
    (err) =>
      log.warn(
        { event: 'outbox_sweep_failed', err },
        'Counting outbox rows or deleting expired ones failed, will retry',
      ),
  );
  return {
    stop: async () => {
      isStopping = true;
      unsubscribe();
      wakeSignal.notify();
      await Promise.all([running, watch.stop(), sweeping.stop()]);
    },
  };
};

type Sender = {
  markSuspect: () => void;
  publishBatch: () => Promise<boolean>;
};

const createSender = (options: RelayOptions, metrics: RelayMetrics): Sender => {
  const { database, broker, source, log, topology = declared } = options;
  const reconciler = createStreamReconciler({ database, broker, topology, log });
  let isFailing = false;
  let leaseDeniedAtMs: number | undefined;

  const canPublish = (hasLease: boolean): boolean => {
    leaseDeniedAtMs = hasLease ? undefined : (leaseDeniedAtMs ?? performance.now());
    return hasLease || performance.now() - leaseDeniedAtMs! > LEASE_WAIT_MAX_MS;
  };
  const sendBatch = (): Promise<readonly Publication[]> =>
    database.scoped(everyWorkspace, async (em) => {
      if (!canPublish(await acquireOutboxLease(em))) return [];
      const rows = await lockUnpublished(em, BATCH_ROWS);
      // Events sent concurrently stay in order, because they share one connection.
      const publications = await Promise.all(rows.map((row) => publishEvent(broker, row, source)));
      await markPublications(em, publications, reconciler.mark());
      return publications;
    });
  const reportFailure = (err: unknown): void => {
    // A database outage rejects with a service error, which `Database` has already logged.
    if (!isFailing && !isServiceError(err))
      log.warn(
        { event: 'event_publish_failed', err },
        'Publishing events or checking their stream failed, will retry',
      );
    isFailing = true;
  };
  return {
    markSuspect: reconciler.markSuspect,
    publishBatch: async () => {
      if (!broker.isConnected()) return false;
      // New events are published even if reconciling the stream fails.
      await reconciler.reconcile().catch(reportFailure);
      try {
        const publications = await sendBatch();
        reportOutcomes(publications, metrics, log);
        const failed = publications.find((event) => event.outcome === 'waiting');
        if (failed) throw failed.error;
        if (isFailing && publications.length > 0)
          log.info({ event: 'event_publish_recovered' }, 'Publishing events recovered');
        if (publications.length > 0) isFailing = false;
        return publications.length === BATCH_ROWS;
      } catch (err) {
        reconciler.markSuspect();
        reportFailure(err);
        return false;
      }
    },
  };
};

const reportOutcomes = (
  publications: readonly Publication[],
  metrics: RelayMetrics,
  log: Log,
): void => {
  const count = publications.filter(({ outcome }) => outcome === 'published').length;
  if (count > 0) metrics.onPublished(count);
  for (const event of publications) {
    if (event.outcome !== 'dead') continue;
    const { id: eventId, errorClass, error: err } = event;
    metrics.onDead(errorClass);
    log.error(
      { event: 'event_unpublishable', eventId, errorClass, err },
      'The event cannot be published; marked dead',
    );
  }
};

export type RelayMetrics = {
  onPublished: (count: number) => void;
  onDead: (errorClass: string) => void;
  onOutboxState: (outbox: OutboxState) => void;
};

export const createRelayMetrics = (registry: Registry): RelayMetrics => {
  const registers = [registry];
  const published = new Counter({
    name: 'outbox_published_total',
    help: 'Events that the broker has acknowledged.',
    registers,
  });
  const deadTotal = new Counter({
    name: 'outbox_dead_total',
    help: 'Events that cannot be published, by reason.',
    labelNames: ['error_class'] as const,
    registers,
  });
  const waiting = new Gauge({
    name: 'outbox_waiting',
    help: 'Events that wait for the broker.',
    registers,
  });
  const oldest = new Gauge({
    name: 'outbox_oldest_waiting_seconds',
    help: 'Age of the oldest waiting event, in seconds.',
    registers,
  });
  const dead = new Gauge({
    name: 'outbox_dead',
    help: 'Dead events in the outbox; expected to be 0.',
    registers,
  });
  return {
    onPublished: (count) => published.inc(count),
    onDead: (errorClass) => deadTotal.inc({ error_class: errorClass }),
    onOutboxState: (state) => {
      waiting.set(state.waiting);
      oldest.set(state.oldestSeconds);
      dead.set(state.dead);
    },
  };
};

type Publishing = {
  natsUrl: string | undefined;
  source: string;
  startRelay: (parts: Omit<RelayOptions, 'database'>) => Relay;
};

/**
 * Opens a broker connection and publishes the service's outbox over it. Must be stopped before the
 * database is closed.
 */
export const startPublishing = async (
  { natsUrl, source, ...storage }: Publishing,
  { log, registry }: Pick<Host, 'log' | 'registry'>,
): Promise<Relay> => {
  const broker = await openBroker({ url: natsUrl, name: source, log });
  const relay = storage.startRelay({ broker, source, log, registry });
  return {
    stop: async () => {
      await relay.stop();
      await broker[Symbol.asyncDispose]();
    },
  };
};
