import { jetstreamManager, JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { ConsumerConfig, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { toConnectionOptions } from './broker.ts';

/** What the broker is to hold; the shape of `deploy/nats/topology.json`. */
export type Topology = {
  streams: readonly StreamPlan[];
  consumers: readonly ConsumerPlan[];
};

/** A stream in files that forgets its oldest messages. */
export type StreamPlan = {
  name: string;
  subjects: readonly string[];
  maxAgeHours: number;
  maxBytes: number;
  duplicateWindowSeconds: number;
  /** Servers that hold a copy: 3 where there are three. */
  replicas: number;
};

/** A durable pull consumer that begins with the stream's oldest message. */
export type ConsumerPlan = {
  name: string;
  stream: string;
  filter: string;
  ackWaitSeconds: number;
  maxAckPending: number;
};

/** What applying did to one part. */
export type TopologyChange = {
  kind: 'stream' | 'consumer';
  name: string;
  change: 'added' | 'updated' | 'unchanged';
};

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/**
 * Makes the broker hold exactly these streams and consumers, by adding or updating them; what else
 * it holds is left alone. Rejects when the broker cannot be reached.
 */
export const applyTopology = async (url: string, topology: Topology): Promise<TopologyChange[]> => {
  // One try: a job that fails is started again.
  const connection = await connect({ ...toConnectionOptions(url), name: 'topology' });
  try {
    return await bringInto(connection, topology, { update: true });
  } finally {
    await connection.close();
  }
};

/** Puts back what the broker does not hold (any more) and changes nothing else. */
export const restoreTopology = (
  connection: NatsConnection,
  topology: Topology,
): Promise<TopologyChange[]> => bringInto(connection, topology, { update: false });

/** True when the broker answered that there is no such stream or consumer. */
export const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound ||
    error.code === JetStreamApiCodes.ConsumerNotFound);

type Mode = { update: boolean };

const bringInto = async (
  connection: NatsConnection,
  { streams, consumers }: Topology,
  mode: Mode,
): Promise<TopologyChange[]> => {
  const manager = await jetstreamManager(connection);
  const changes: TopologyChange[] = [];
  for (const plan of streams) {
    const change = await bringStream(manager, plan, mode);
    changes.push({ kind: 'stream', name: plan.name, change });
  }
  for (const plan of consumers) {
    const change = await bringConsumer(manager, plan, mode);
    changes.push({ kind: 'consumer', name: plan.name, change });
  }
  return changes;
};

const bringStream = async (
  { streams }: JetStreamManager,
  plan: StreamPlan,
  { update }: Mode,
): Promise<TopologyChange['change']> => {
  const wanted = toStreamConfig(plan);
  const found = await orMissing(streams.info(plan.name));
  if (!found) {
    await streams.add(wanted);
    return 'added';
  }
  if (!update || holds(found.config, wanted)) return 'unchanged';
  await streams.update(plan.name, wanted);
  return 'updated';
};

const bringConsumer = async (
  { consumers }: JetStreamManager,
  plan: ConsumerPlan,
  { update }: Mode,
): Promise<TopologyChange['change']> => {
  const wanted = toConsumerConfig(plan);
  const found = await orMissing(consumers.info(plan.stream, plan.name));
  if (!found) {
    await consumers.add(plan.stream, wanted);
    return 'added';
  }
  if (!update || holds(found.config, wanted)) return 'unchanged';
  await consumers.update(plan.stream, plan.name, wanted);
  return 'updated';
};

const orMissing = async <T>(found: Promise<T>): Promise<T | undefined> => {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** True when everything that is wanted is so; servers add defaults of their own. */
const holds = (found: object, wanted: object): boolean =>
  Object.entries(wanted).every(
    ([name, value]) => JSON.stringify((found as never)[name]) === JSON.stringify(value),
  );

/** Every word is known to servers from 2.9 on. */
const toStreamConfig = (plan: StreamPlan) =>
  ({
    name: plan.name,
    subjects: [...plan.subjects],
    retention: 'limits',
    storage: 'file',
    // A full stream forgets its oldest: to refuse new ones would stop every service for days.
    discard: 'old',
    max_age: nanos(plan.maxAgeHours * HOUR_MS),
    max_bytes: plan.maxBytes,
    duplicate_window: nanos(plan.duplicateWindowSeconds * SECOND_MS),
    num_replicas: plan.replicas,
  }) satisfies Partial<StreamConfig>;

/** No `backoff` and no `max_deliver`: consumers decide themselves when to give up. */
const toConsumerConfig = (plan: ConsumerPlan) =>
  ({
    durable_name: plan.name,
    deliver_policy: 'all',
    ack_policy: 'explicit',
    ack_wait: nanos(plan.ackWaitSeconds * SECOND_MS),
    max_deliver: -1,
    max_ack_pending: plan.maxAckPending,
    filter_subject: plan.filter,
  }) satisfies Partial<ConsumerConfig>;
