import { jetstreamManager } from '@nats-io/jetstream';
import type { Database } from '../database/open-database.ts';
import type { Log } from '../log/create-log.ts';
import type { Broker } from './broker.ts';
import { EVENT_STREAM } from './event.ts';
import { requeueLostEvents } from './requeue-events.ts';
import { isMissing, restoreTopology } from './topology.ts';
import type { Topology } from './topology.ts';

export type StreamReconciler = {
  /**
   * Returns a mark of the last known incarnation of the stream. Events that an earlier incarnation
   * acknowledged are published again.
   */
  mark: () => string;
  /** Makes the next `reconcile` query the broker for the state of the stream. */
  markSuspect: () => void;
  /**
   * Checks the stream if it is suspect: requeues the events that it lost by being wiped or
   * truncated, and recreates the stream if it stays missing. On an error other than a missing
   * stream, rejects and the stream stays suspect.
   */
  reconcile: () => Promise<void>;
};

const MISSES_BEFORE_RESTORE = 2;

export const createStreamReconciler = (parts: {
  database: Database;
  broker: Broker;
  topology: Topology;
  log: Log;
}): StreamReconciler => {
  const { database, broker, topology, log } = parts;
  let isSuspect = true;
  let mark = '';
  let misses = 0;
  return {
    mark: () => mark,
    markSuspect: () => {
      isSuspect = true;
    },
    reconcile: async () => {
      if (!isSuspect) return;
      try {
        const info = await broker.use(async (connection) => {
          const manager = await jetstreamManager(connection, { checkAPI: false });
          return manager.streams.info(EVENT_STREAM);
        });
        isSuspect = false;
        misses = 0;
        mark = info.created;
        const lastSequence = info.state.last_seq;
        const requeued = await requeueLostEvents(database, { mark, lastSequence });
        if (requeued > 0)
          log.warn(
            { event: 'stream_lost_events', requeued },
            'Stream lost events, will republish them',
          );
      } catch (err) {
        isSuspect = true;
        if (!isMissing(err)) throw err;
        misses += 1;
        if (misses < MISSES_BEFORE_RESTORE) return;
        await broker.use((connection) => restoreTopology(connection, topology));
      }
    },
  };
};
