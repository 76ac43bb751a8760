import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { toConnectionOptions } from './broker.ts';
import { compareTopology } from './topology.ts';
import type { Topology, TopologyDifference } from './topology.ts';

/** State of a broker, for diagnosis. */
export type BrokerInspection = {
  serverVersion: string;
  /** The error of JetStream if the server or the account does not have it enabled. */
  jetStream:
    | { error: unknown }
    | { differences: readonly TopologyDifference[]; account: JetStreamAccount };
};

/** Use and limit of an account's storage in bytes; a negative limit means none. */
export type JetStreamAccount = { storageBytes: number; storageLimitBytes: number };

/**
 * Connects once, without retries, and compares the broker with the declared topology; changes
 * nothing. Rejects with the error of the client if the broker is unreachable or refuses the
 * credentials.
 */
export const inspectBroker = async (url: string, topology: Topology): Promise<BrokerInspection> => {
  const options = { ...toConnectionOptions(url), name: 'inspection' };
  const connection = await connect({ ...options, reconnect: false, maxReconnectAttempts: 0 });
  try {
    const serverVersion = connection.info?.version ?? 'unknown';
    try {
      const manager = await jetstreamManager(connection);
      const { storage, limits } = await manager.getAccountInfo();
      const account = { storageBytes: storage, storageLimitBytes: limits.max_storage };
      const differences = await compareTopology(connection, topology);
      return { serverVersion, jetStream: { differences, account } };
    } catch (error) {
      return { serverVersion, jetStream: { error } };
    }
  } finally {
    await connection.close();
  }
};
