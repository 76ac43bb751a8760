import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { openTestNats } from '@witan/testing';
import { Registry } from 'prom-client';
import { openBroker } from '../../src/events/broker.ts';
import type { Broker } from '../../src/events/broker.ts';
import { startConsumer } from '../../src/events/consumer.ts';
import type { Consumer, ConsumerOptions } from '../../src/events/consumer.ts';
import { EVENT_STREAM } from '../../src/events/event.ts';
import { startRelay } from '../../src/events/relay.ts';
import type { Relay, RelayOptions } from '../../src/events/relay.ts';
import { applyTopology } from '../../src/events/topology.ts';
import type { Topology } from '../../src/events/topology.ts';
import { openEventDatabase } from './open-event-database.ts';

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

export type Stored = { subject: string; headers: Record<string, string>; payload: Uint8Array };

export const openEventFixture = async (topology: Topology = TOPOLOGY) => {
  const resources = new AsyncDisposableStack();
  const eventDatabase = resources.use(await openEventDatabase());
  const server = resources.use((await openTestNats())!);
  await applyTopology(server.url, topology);
  const { database, log } = eventDatabase;
  const connectBroker = async (): Promise<Broker> =>
    resources.use(await openBroker({ url: server.url, name: 'test', log }));
  const broker = await connectBroker();
  const manage = async <T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> => {
    const connection = await connect({ servers: server.url });
    try {
      return await work(await jetstreamManager(connection));
    } finally {
      await connection.close();
    }
  };
  const parts = { database, broker, log, topology };
  return {
    ...eventDatabase,
    broker,
    server,
    connectBroker,
    manage,
    relay: (options: Partial<RelayOptions> = {}): Relay => {
      const relay = startRelay({ ...parts, source: 'test', registry: new Registry(), ...options });
      resources.defer(() => relay.stop());
      return relay;
    },
    consume: (options: Pick<ConsumerOptions, 'handle'> & Partial<ConsumerOptions>): Consumer => {
      const defaults = { durable: DURABLE, registry: new Registry(), onPoison: async () => {} };
      const consumer = startConsumer({ ...parts, ...defaults, ...options });
      resources.defer(() => consumer.stop());
      return consumer;
    },
    stored: (): Promise<Stored[]> => manage(readStream),
    publishRaw: async (subject: string, payload: Uint8Array): Promise<void> => {
      await broker.use((connection) => jetstream(connection).publish(subject, payload));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

export type EventFixture = Awaited<ReturnType<typeof openEventFixture>>;

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
