import { jetstreamManager } from '@nats-io/jetstream';
import type { Database } from '../database/open-database.ts';
import type { Log } from '../log/create-log.ts';
import type { Broker } from './broker.ts';
import { EVENT_STREAM } from './event.ts';
import { requeueLostEvents } from './requeue-events.ts';
import { isMissing, restoreTopology } from './topology.ts';
import type { Topology } from './topology.ts';

/** Looks whether the stream still holds what it acknowledged. */
export type StreamReconciler = {
  /** The life of the stream as far as is known; what went out before goes out once more. */
  mark: () => string;
  /** Makes the next `look` do something. */
  doubt: () => void;
  /**
   * After a doubt: a broker that was wiped, or lost its tail, gets what it lost once more, and a
   * stream that stays away is put back. Rejects when the broker does not answer; the doubt stays.
   */
  look: () => Promise<void>;
};

/** The job that applies the topology may be about to. */
const MISSES_BEFORE_RESTORE = 2;

export const createStreamReconciler = (parts: {
  database: Database;
  broker: Broker;
  topology: Topology;
  log: Log;
}): StreamReconciler => {
  const { database, broker, topology, log } = parts;
  let isDoubtful = true;
  let mark = '';
  let misses = 0;
  return {
    mark: () => mark,
    doubt: () => {
      isDoubtful = true;
    },
    look: async () => {
      if (!isDoubtful) return;
      try {
        const info = await broker.use(async (connection) => {
          const manager = await jetstreamManager(connection, { checkAPI: false });
          return manager.streams.info(EVENT_STREAM);
        });
        isDoubtful = false;
        misses = 0;
        mark = info.created;
        const lastSequence = info.state.last_seq;
        const requeued = await requeueLostEvents(database, { mark, lastSequence });
        if (requeued > 0) log.warn({ requeued }, 'the stream lost facts; they are sent again');
      } catch (err) {
        isDoubtful = true;
        if (!isMissing(err)) throw err;
        misses += 1;
        if (misses < MISSES_BEFORE_RESTORE) return;
        await broker.use((connection) => restoreTopology(connection, topology));
      }
    },
  };
};
