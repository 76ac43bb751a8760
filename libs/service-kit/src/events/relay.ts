import { isServiceError } from '@witan/contracts';
import { topology as declared } from '@witan/contracts/topology';
import type { Registry } from 'prom-client';
import type { Database } from '../database/open-database.ts';
import { everyWorkspace } from '../database/scope.ts';
import type { Log } from '../log/create-log.ts';
import { repeatEvery } from '../schedule/repeat-every.ts';
import { createWakeSignal } from './wake-signal.ts';
import type { Broker } from './broker.ts';
import { createStreamReconciler } from './reconcile-stream.ts';
import { OUTBOX_CHANNEL_SQL } from './outbox-sql.ts';
import {
  markPublications,
  readOutboxState,
  sweepOutbox,
  leaseBatch,
  takeWaiting,
  BATCH_LEASE_MS,
} from './outbox-store.ts';
import { publishEvent } from './publish-event.ts';
import type { Publication } from './publish-event.ts';
import { createRelayMetrics } from './relay-metrics.ts';
import type { RelayMetrics } from './relay-metrics.ts';
import type { Topology } from './topology.ts';
import { watchChannel } from './watch-channel.ts';

/** Sends what the outbox holds; stop it before its database is closed. */
export type Relay = { stop: () => Promise<void> };

export type RelayOptions = {
  database: Database;
  broker: Broker;
  /** The service's name: `ce-source`. */
  source: string;
  log: Log;
  registry: Registry;
  /** Of the streams that are put back when the broker lost them. */
  topology?: Topology;
};

const BATCH_ROWS = 100;
/** The floor under NOTIFY, which a lost connection swallows. */
const POLL_MS = 1_000;
const HOUSEKEEPING_MS = 15_000;

/**
 * Publishes every committed fact at least once, in the order in which they were written, with its
 * id as the message's. While the broker is away facts wait; nothing is deleted on its word.
 */
export const startRelay = (options: RelayOptions): Relay => {
  const { database, broker, log } = options;
  const metrics = createRelayMetrics(options.registry);
  const bell = createWakeSignal();
  const sender = createSender(options, metrics);
  const watch = watchChannel({
    database,
    channelSql: OUTBOX_CHANNEL_SQL,
    onNotify: bell.ring,
    log,
  });
  const forget = broker.onConnect(() => {
    sender.doubt();
    bell.ring();
  });
  let isStopping = false;
  const run = async (): Promise<void> => {
    while (!isStopping) {
      await bell.heard(POLL_MS);
      // Batches, not facts: a service that stops does not send the whole backlog first.
      while (!isStopping && (await sender.sendSome())) continue;
    }
  };
  const running = run();
  const housekeeping = repeatEvery(
    HOUSEKEEPING_MS,
    async () => {
      sender.doubt();
      metrics.onLooked(await readOutboxState(database));
      await sweepOutbox(database);
    },
    (err) => log.warn({ err }, 'could not look after the outbox; will try again'),
  );
  return {
    stop: async () => {
      isStopping = true;
      forget();
      bell.ring();
      await Promise.all([running, watch.stop(), housekeeping.stop()]);
    },
  };
};

type Sender = {
  /** Makes the next batch look first whether the stream still holds what it acknowledged. */
  doubt: () => void;
  /** Sends one batch. True when another may be waiting. Never rejects. */
  sendSome: () => Promise<boolean>;
};

const createSender = (options: RelayOptions, metrics: RelayMetrics): Sender => {
  const { database, broker, source, log, topology = declared } = options;
  const guard = createStreamReconciler({ database, broker, topology, log });
  let isInTrouble = false;
  let refusedSince: number | undefined;

  const mayGoOn = (hasTurn: boolean): boolean => {
    refusedSince = hasTurn ? undefined : (refusedSince ?? performance.now());
    return hasTurn || performance.now() - refusedSince! > BATCH_LEASE_MS;
  };
  const sendBatch = (): Promise<readonly Publication[]> =>
    database.scoped(everyWorkspace, async (em) => {
      if (!mayGoOn(await leaseBatch(em))) return [];
      const rows = await takeWaiting(em, BATCH_ROWS);
      // All at once, in order on one connection: the stream sees them in that order.
      const sent = await Promise.all(rows.map((row) => publishEvent(broker, row, source)));
      await markPublications(em, sent, guard.mark());
      return sent;
    });
  const complain = (err: unknown): void => {
    // Of a database that is away the log has read already.
    if (!isInTrouble && !isServiceError(err)) log.warn({ err }, 'facts wait in the outbox');
    isInTrouble = true;
  };
  return {
    doubt: guard.doubt,
    sendSome: async () => {
      if (!broker.isConnected()) return false;
      // What the guard cannot see must not keep facts back.
      await guard.look().catch(complain);
      try {
        const publications = await sendBatch();
        tell(publications, metrics, log);
        const failed = publications.find((one) => one.outcome === 'waiting');
        if (failed) throw failed.error;
        if (isInTrouble && publications.length > 0) log.info({}, 'facts are published again');
        if (publications.length > 0) isInTrouble = false;
        return publications.length === BATCH_ROWS;
      } catch (err) {
        guard.doubt();
        complain(err);
        return false;
      }
    },
  };
};

const tell = (publications: readonly Publication[], metrics: RelayMetrics, log: Log): void => {
  const count = publications.filter(({ outcome }) => outcome === 'published').length;
  if (count > 0) metrics.onPublished(count);
  for (const one of publications) {
    if (one.outcome !== 'dead') continue;
    const { id: factId, errorClass, error: err } = one;
    metrics.onDead(errorClass);
    log.error({ factId, errorClass, err }, 'the broker will never take a fact; it is given up');
  }
};
