import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { NATS_MISSING, openTestNats } from '@witan/testing';
import { Registry } from 'prom-client';
import { openBroker } from '../../src/events/broker.ts';
import { startConsumer } from '../../src/events/consumer.ts';
import type { Consumer, ConsumerOptions } from '../../src/events/consumer.ts';
import { EVENT_STREAM } from '../../src/events/event.ts';
import type { DomainEvent, EventHeaders } from '../../src/events/event.ts';
import type { EventTransport } from '../../src/events/event-transport.ts';
import { createLocalEvents } from '../../src/events/local-events.ts';
import { createNatsEvents } from '../../src/events/nats-events.ts';
import { startRelay } from '../../src/events/relay.ts';
import type { Relay, RelayOptions } from '../../src/events/relay.ts';
import { applyTopology } from '../../src/events/topology.ts';
import type { Topology } from '../../src/events/topology.ts';
import { openEventDatabase } from './open-event-database.ts';
import type { EventDatabase } from './open-event-database.ts';

export const DURABLE = 'reader';

/**
 * Like the deployed topology, but with smaller limits, another consumer and a shorter `ack_wait`.
 */
export const TOPOLOGY: Topology = {
  streams: [
    {
      name: EVENT_STREAM,
      subjects: ['events.v1.>'],
      maxAgeHours: 168,
      maxBytes: 64 * 1024 * 1024,
      duplicateWindowSeconds: 600,
      replicas: 1,
    },
  ],
  consumers: [
    {
      name: DURABLE,
      stream: EVENT_STREAM,
      filter: 'events.v1.>',
      ackWaitSeconds: 1,
      maxAckPending: 100,
    },
  ],
};

type Consumption = Pick<ConsumerOptions, 'handle'> & Partial<ConsumerOptions>;
type Received = { event: DomainEvent; headers: EventHeaders };

/** An outbox in a database of its own, with relays and consumers over one transport. */
export type EventFixture = EventDatabase & {
  relay: (options?: Partial<RelayOptions>) => Relay;
  consume: (options: Consumption) => Consumer;
  /** Starts a consumer; returns what it has handled so far. */
  collect: () => readonly Received[];
  /** Opens the transport as another replica of a consumer does. */
  openEvents: () => Promise<EventTransport>;
  /** Returns true if all committed events have been handled. */
  isDrained: () => Promise<boolean>;
};

const createFixture = (
  eventDatabase: EventDatabase,
  events: EventTransport,
  resources: AsyncDisposableStack,
) => {
  const { database, log } = eventDatabase;
  const consume = (options: Consumption): Consumer => {
    const defaults = { durable: DURABLE, registry: new Registry(), onPoison: async () => {} };
    const consumer = startConsumer({ events, log, ...defaults, ...options });
    resources.defer(() => consumer.stop());
    return consumer;
  };
  return {
    ...eventDatabase,
    consume,
    relay: (options: Partial<RelayOptions> = {}): Relay => {
      const defaults = { database, events, log, source: 'test', registry: new Registry() };
      const relay = startRelay({ ...defaults, ...options });
      resources.defer(() => relay.stop());
      return relay;
    },
    collect: () => {
      const received: Received[] = [];
      consume({ handle: async (event, headers) => void received.push({ event, headers }) });
      return received;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

const UNPUBLISHED = 'SELECT id FROM outbox WHERE published_at IS NULL AND dead_at IS NULL';

/** Opens an outbox whose relay hands its events to consumers of this process. */
export const openLocalFixture = async (): Promise<EventFixture> => {
  const resources = new AsyncDisposableStack();
  const eventDatabase = resources.use(await openEventDatabase());
  const events = createLocalEvents(TOPOLOGY);
  return {
    ...createFixture(eventDatabase, events, resources),
    openEvents: async () => events,
    isDrained: async () => (await eventDatabase.rows(UNPUBLISHED)).length === 0,
  };
};

export type Stored = { subject: string; headers: Record<string, string>; payload: Uint8Array };

/** Opens an outbox whose relay publishes to a nats-server of its own. */
export const openNatsFixture = async (topology: Topology = TOPOLOGY) => {
  const resources = new AsyncDisposableStack();
  const eventDatabase = resources.use(await openEventDatabase());
  const server = resources.use((await openTestNats())!);
  await applyTopology(server.url, topology);
  const { log } = eventDatabase;
  const broker = resources.use(await openBroker({ url: server.url, name: 'test', log }));
  const manage = async <T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> => {
    const connection = await connect({ servers: server.url });
    try {
      return await work(await jetstreamManager(connection));
    } finally {
      await connection.close();
    }
  };
  const events = createNatsEvents({ broker, topology });
  return {
    ...createFixture(eventDatabase, events, resources),
    broker,
    server,
    manage,
    openEvents: async () => {
      const own = resources.use(await openBroker({ url: server.url, name: 'test', log }));
      return createNatsEvents({ broker: own, topology });
    },
    isDrained: async () => {
      const waiting = await eventDatabase.rows(UNPUBLISHED);
      const { num_pending: pending, num_ack_pending: unacknowledged } = await manage((manager) =>
        manager.consumers.info(EVENT_STREAM, DURABLE),
      );
      return waiting.length + pending + unacknowledged === 0;
    },
    stored: (): Promise<Stored[]> => manage(readStream),
    publishRaw: async (subject: string, payload: Uint8Array): Promise<void> => {
      await broker.use((connection) => jetstream(connection).publish(subject, payload));
    },
  } satisfies EventFixture & Record<string, unknown>;
};

export type NatsFixture = Awaited<ReturnType<typeof openNatsFixture>>;

/** The transports over which the same tests run. The name of one that is skipped has the reason. */
export const TRANSPORTS: readonly {
  name: string;
  open: () => Promise<EventFixture>;
  isSkipped: boolean;
}[] = [
  {
    name: NATS_MISSING ? `JetStream (${NATS_MISSING})` : 'JetStream',
    open: openNatsFixture,
    isSkipped: NATS_MISSING !== undefined,
  },
  { name: 'this process', open: openLocalFixture, isSkipped: false },
];

const readStream = async (manager: JetStreamManager): Promise<Stored[]> => {
  const { state } = await manager.streams.info(EVENT_STREAM);
  const stored: Stored[] = [];
  for (let seq = state.first_seq; seq > 0 && seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(EVENT_STREAM, { seq });
    if (!message) continue;
    const { subject, header, data: payload } = message;
    const headers = Object.fromEntries(header.keys().map((name) => [name, header.get(name)]));
    stored.push({ subject, headers, payload });
  }
  return stored;
};
