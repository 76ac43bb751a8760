import { topology as declared } from '@witan/contracts/topology';
import { everyWorkspace } from '../database/scope.ts';
import { matchesFilter } from './event.ts';
import type { EventTransport, Outbox, Publication, Sender } from './event-transport.ts';
import { createLocalQueue } from './local-queue.ts';
import type { LocalQueue } from './local-queue.ts';
import { BATCH_ROWS, createBatchReader, markPublications } from './outbox-store.ts';
import type { OutboxRow } from './outbox-store.ts';
import { requeueStreamEvents } from './requeue-events.ts';
import { toArrival } from './to-arrival.ts';
import type { Topology } from './topology.ts';

/** Maximum number of events of one outbox in memory; the rest of a backlog waits in the outbox. */
const IN_FLIGHT_MAX = 500;

type LocalConsumer = { filter: string; queue: LocalQueue };

/**
 * Moves events between services of this process, without a broker. Stores nothing itself: a row of
 * an outbox stays unpublished until all declared consumers, even those that have not started yet,
 * have handled the event. After a crash it is delivered again, with its attempts counted anew.
 */
export const createLocalEvents = (topology: Topology = declared): EventTransport => {
  const consumers = new Map(
    topology.consumers.map(({ name, filter }) => [name, { filter, queue: createLocalQueue() }]),
  );
  return {
    system: 'in_process',
    openSender: (outbox) => createLocalSender(outbox, [...consumers.values()]),
    openSource: ({ durable }) => {
      const consumer = consumers.get(durable);
      if (!consumer) throw new Error(`The topology declares no consumer ${durable}.`);
      return consumer.queue.openSource();
    },
  };
};

const createLocalSender = (outbox: Outbox, consumers: readonly LocalConsumer[]): Sender => {
  const { database, source, log, onReady } = outbox;
  const readBatch = createBatchReader();
  const withdrawal = new AbortController();
  const inFlight = new Set<string>();
  /** Events in flight that only have to be marked. */
  let ended: Publication[] = [];
  let hasStreamEvents = true;
  const end = (publication: Publication): void => {
    ended.push(publication);
    onReady();
  };
  const handOver = (row: OutboxRow): void => {
    const { id } = row;
    inFlight.add(id);
    const arrival = toArrival(row, source);
    if (arrival instanceof Error)
      return end({ outcome: 'dead', id, errorClass: 'invalid_subject', error: arrival });
    const readers = consumers.filter(({ filter }) => matchesFilter(arrival.subject, filter));
    let openCount = readers.length;
    const endIfHandled = (): void => {
      if (openCount === 0) end({ outcome: 'published', id, sequence: null });
    };
    const onDone = (): void => {
      openCount -= 1;
      endIfHandled();
    };
    endIfHandled();
    for (const { queue } of readers)
      queue.put({ id, arrival, withdrawn: withdrawal.signal, onDone });
  };
  /** Requeues events that an earlier start gave to a broker; consumers drop repeated ones. */
  const takeOver = async (): Promise<void> => {
    const { requeued, hasMore } = await requeueStreamEvents(database);
    hasStreamEvents = hasMore;
    if (requeued > 0)
      log.info(
        { event: 'stream_events_requeued', requeued },
        'Events of a broker that is no longer used are delivered again',
      );
  };
  return {
    // The outbox is the only storage, so no published event can be lost.
    markSuspect: () => {},
    stop: () => {
      withdrawal.abort();
      for (const { queue } of consumers) queue.removeWithdrawn();
    },
    sendBatch: async () => {
      if (hasStreamEvents) {
        // Reads no events before all are requeued, so that their order is preserved.
        await takeOver();
        return { publications: [], hasMore: true };
      }
      const publications = [...ended];
      const isFull = inFlight.size - publications.length > IN_FLIGHT_MAX - BATCH_ROWS;
      if (isFull && publications.length === 0) return { publications, hasMore: false };
      const rows = await database.scoped(everyWorkspace, async (em) => {
        await markPublications(em, publications, null);
        return isFull ? [] : readBatch(em, [...inFlight]);
      });
      ended = ended.slice(publications.length);
      for (const { id } of publications) inFlight.delete(id);
      for (const row of rows) handOver(row);
      return { publications, hasMore: rows.length === BATCH_ROWS };
    },
  };
};
