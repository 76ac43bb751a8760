import { isServiceError } from '@witan/contracts';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Database } from '../database/open-database.ts';
import type { Log } from '../log/create-log.ts';
import { repeatEvery } from '../schedule/repeat-every.ts';
import { createWakeSignal } from '../schedule/wake-signal.ts';
import type { EventTransport, Publication } from './event-transport.ts';
import { OUTBOX_CHANNEL_SQL, readOutboxState, sweepOutbox } from './outbox-store.ts';
import type { OutboxState } from './outbox-store.ts';
import { watchChannel } from './watch-channel.ts';

export type Relay = { stop: () => Promise<void> };

export type RelayOptions = {
  database: Database;
  events: EventTransport;
  source: string;
  log: Log;
  registry: Registry;
};

/** Interval of polling the outbox for events whose notification was lost. */
const POLL_MS = 1_000;
const SWEEP_INTERVAL_MS = 15_000;

/**
 * Publishes committed events at least once, normally in the order of writing; an event that
 * cannot be published is marked dead. During an outage of the transport events wait in the outbox.
 */
export const startRelay = (options: RelayOptions): Relay => {
  const { database, log } = options;
  const metrics = createRelayMetrics(options.registry);
  const wakeSignal = createWakeSignal();
  const publisher = createPublisher(options, metrics, wakeSignal.notify);
  const watch = watchChannel({
    database,
    channelSql: OUTBOX_CHANNEL_SQL,
    onNotify: wakeSignal.notify,
    log,
  });
  let isStopping = false;
  const run = async (): Promise<void> => {
    while (!isStopping) {
      await wakeSignal.wait(POLL_MS);
      // Checks `isStopping` before each batch, so that a stopping service does not publish the
      // whole backlog first.
      while (!isStopping && (await publisher.publishBatch())) continue;
    }
  };
  const running = run();
  const sweeping = repeatEvery(
    SWEEP_INTERVAL_MS,
    async () => {
      publisher.markSuspect();
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
      publisher.stop();
      wakeSignal.notify();
      await Promise.all([running, watch.stop(), sweeping.stop()]);
    },
  };
};

type Publisher = {
  markSuspect: () => void;
  /** Returns true if more events may wait. Never rejects. */
  publishBatch: () => Promise<boolean>;
  stop: () => void;
};

const createPublisher = (
  { events, database, source, log }: RelayOptions,
  metrics: RelayMetrics,
  onReady: () => void,
): Publisher => {
  let isFailing = false;
  const onFailure = (err: unknown): void => {
    // A database outage rejects with a service error, which `Database` has already logged.
    if (!isFailing && !isServiceError(err))
      log.warn(
        { event: 'event_publish_failed', err },
        'Publishing events or checking their stream failed, will retry',
      );
    isFailing = true;
  };
  const sender = events.openSender({ database, source, log, onReady, onFailure });
  return {
    markSuspect: sender.markSuspect,
    stop: sender.stop,
    publishBatch: async () => {
      try {
        const { publications, hasMore } = await sender.sendBatch();
        reportOutcomes(publications, metrics, log);
        const failed = publications.find((event) => event.outcome === 'waiting');
        if (failed) throw failed.error;
        if (isFailing && publications.length > 0)
          log.info({ event: 'event_publish_recovered' }, 'Publishing events recovered');
        if (publications.length > 0) isFailing = false;
        return hasMore;
      } catch (err) {
        sender.markSuspect();
        onFailure(err);
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
    help: 'Events that the broker, or all consumers of the process, have acknowledged.',
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
    help: 'Events that wait for the broker or for a consumer of the process.',
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
