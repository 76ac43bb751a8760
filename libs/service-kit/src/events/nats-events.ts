import { topology as declared } from '@witan/contracts/topology';
import { everyWorkspace } from '../database/scope.ts';
import type { Broker } from './broker.ts';
import type { EventTransport, Outbox, Sender } from './event-transport.ts';
import { createNatsSource } from './nats-source.ts';
import type { NatsSourceParts } from './nats-source.ts';
import { BATCH_ROWS, createBatchReader, markPublications } from './outbox-store.ts';
import { publishEvent } from './publish-event.ts';
import { createStreamReconciler } from './reconcile-stream.ts';
import type { Topology } from './topology.ts';

type NatsOptions = Pick<NatsSourceParts, 'broker' | 'fetchTiming'> & { topology?: Topology };

/** Moves events through JetStream. Must be stopped by closing the broker. */
export const createNatsEvents = ({
  broker,
  topology = declared,
  ...options
}: NatsOptions): EventTransport => ({
  system: 'nats',
  openSender: (outbox) => createNatsSender(outbox, broker, topology),
  openSource: ({ durable, log }) =>
    createNatsSource({ broker, topology, durable, log, ...options }),
});

const createNatsSender = (outbox: Outbox, broker: Broker, topology: Topology): Sender => {
  const { database, source, log } = outbox;
  const reconciler = createStreamReconciler({ database, broker, topology, log });
  const readBatch = createBatchReader();
  const unsubscribe = broker.onConnect(() => {
    reconciler.markSuspect();
    outbox.onReady();
  });
  return {
    markSuspect: reconciler.markSuspect,
    stop: unsubscribe,
    sendBatch: async () => {
      if (!broker.isConnected()) return { publications: [], hasMore: false };
      // New events are published even if reconciling the stream fails.
      await reconciler.reconcile().catch(outbox.onFailure);
      const publications = await database.scoped(everyWorkspace, async (em) => {
        const rows = await readBatch(em);
        // Events sent concurrently stay in order, because they share one connection.
        const sent = await Promise.all(rows.map((row) => publishEvent(broker, row, source)));
        await markPublications(em, sent, reconciler.mark());
        return sent;
      });
      return { publications, hasMore: publications.length === BATCH_ROWS };
    },
  };
};
