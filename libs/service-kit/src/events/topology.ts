import { jetstreamManager, JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { ConsumerConfig, StreamConfig } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { toConnectionOptions } from './broker.ts';

/** Declared streams and consumers of the broker, in the format of `deploy/nats/topology.json`. */
export type Topology = {
  streams: readonly StreamPlan[];
  consumers: readonly ConsumerPlan[];
};

export type StreamPlan = {
  name: string;
  subjects: readonly string[];
  maxAgeHours: number;
  maxBytes: number;
  duplicateWindowSeconds: number;
  /** Number of servers that store each message, for example 3 in a cluster of three. */
  replicas: number;
};

export type ConsumerPlan = {
  name: string;
  stream: string;
  filter: string;
  ackWaitSeconds: number;
  maxAckPending: number;
};

export type TopologyChange = {
  kind: 'stream' | 'consumer';
  name: string;
  change: 'added' | 'updated' | 'unchanged';
};

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/**
 * Adds or updates the declared streams and consumers and leaves all others unchanged. Rejects when
 * the broker is unreachable or refuses a change.
 */
export const applyTopology = async (url: string, topology: Topology): Promise<TopologyChange[]> => {
  const connection = await connect({ ...toConnectionOptions(url), name: 'topology' });
  try {
    return await ensureTopology(connection, topology, { update: true });
  } finally {
    await connection.close();
  }
};

/** A declared stream or consumer that the broker lacks or that has other settings. */
export type TopologyDifference = Pick<TopologyChange, 'kind' | 'name'> & {
  difference: 'missing' | 'different';
};

/**
 * Returns how the broker differs from the declared topology, without changing it. Ignores the
 * number of replicas, which `witan topology apply --replicas` chooses for each installation.
 */
export const compareTopology = async (
  connection: NatsConnection,
  { streams, consumers }: Topology,
): Promise<TopologyDifference[]> => {
  const manager = await jetstreamManager(connection);
  const differences: TopologyDifference[] = [];
  const compare = async (
    resource: Pick<TopologyDifference, 'kind' | 'name'>,
    wantedConfig: object,
    info: Promise<{ config: object }>,
  ): Promise<void> => {
    const found = await undefinedIfMissing(info);
    if (found && matches(found.config, wantedConfig)) return;
    differences.push({ ...resource, difference: found ? 'different' : 'missing' });
  };
  for (const plan of streams) {
    const { num_replicas: _replicas, ...wantedConfig } = toStreamConfig(plan);
    const { name } = plan;
    await compare({ kind: 'stream', name }, wantedConfig, manager.streams.info(name));
  }
  for (const plan of consumers) {
    const { name, stream } = plan;
    const info = manager.consumers.info(stream, name);
    await compare({ kind: 'consumer', name }, toConsumerConfig(plan), info);
  }
  return differences;
};

/** Adds the declared streams and consumers that are missing. Does not update existing ones. */
export const restoreTopology = (
  connection: NatsConnection,
  topology: Topology,
): Promise<TopologyChange[]> => ensureTopology(connection, topology, { update: false });

export const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound ||
    error.code === JetStreamApiCodes.ConsumerNotFound);

type Mode = { update: boolean };

const ensureTopology = async (
  connection: NatsConnection,
  { streams, consumers }: Topology,
  mode: Mode,
): Promise<TopologyChange[]> => {
  const manager = await jetstreamManager(connection);
  const changes: TopologyChange[] = [];
  for (const plan of streams) {
    const wantedConfig = toStreamConfig(plan);
    const change = await ensure(wantedConfig, mode, {
      info: () => manager.streams.info(plan.name),
      add: () => manager.streams.add(wantedConfig),
      update: () => manager.streams.update(plan.name, wantedConfig),
    });
    changes.push({ kind: 'stream', name: plan.name, change });
  }
  for (const plan of consumers) {
    const wantedConfig = toConsumerConfig(plan);
    const change = await ensure(wantedConfig, mode, {
      info: () => manager.consumers.info(plan.stream, plan.name),
      add: () => manager.consumers.add(plan.stream, wantedConfig),
      update: () => manager.consumers.update(plan.stream, plan.name, wantedConfig),
    });
    changes.push({ kind: 'consumer', name: plan.name, change });
  }
  return changes;
};

type Resource = {
  info: () => Promise<{ config: object }>;
  add: () => Promise<unknown>;
  update: () => Promise<unknown>;
};

const ensure = async (
  wantedConfig: object,
  mode: Mode,
  resource: Resource,
): Promise<TopologyChange['change']> => {
  const found = await undefinedIfMissing(resource.info());
  if (!found) {
    await resource.add();
    return 'added';
  }
  if (!mode.update || matches(found.config, wantedConfig)) return 'unchanged';
  await resource.update();
  return 'updated';
};

const undefinedIfMissing = async <T>(found: Promise<T>): Promise<T | undefined> => {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/**
 * Returns true if `found` has all settings of `wanted`. Ignores other settings of `found`, because
 * servers add defaults.
 */
const matches = (found: object, wanted: object): boolean =>
  Object.entries(wanted).every(
    ([name, value]) => JSON.stringify((found as never)[name]) === JSON.stringify(value),
  );

/** Returns the settings of a stream. Only settings that servers support since 2.9 are used. */
const toStreamConfig = (plan: StreamPlan) =>
  ({
    name: plan.name,
    subjects: [...plan.subjects],
    retention: 'limits',
    storage: 'file',
    // When the stream is full, the oldest messages are discarded: rejecting new ones would block
    // every publisher for days.
    discard: 'old',
    max_age: nanos(plan.maxAgeHours * HOUR_MS),
    max_bytes: plan.maxBytes,
    duplicate_window: nanos(plan.duplicateWindowSeconds * SECOND_MS),
    num_replicas: plan.replicas,
  }) satisfies Partial<StreamConfig>;

/**
 * Returns the settings of a consumer. They have no `backoff` and no limit on deliveries, because
 * the consuming service controls retries.
 */
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
