import { credentials as grpcCredentials } from '@grpc/grpc-js';
import type { ChannelCredentials, ServiceError as GrpcError } from '@grpc/grpc-js';
import { unavailable } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { fromGrpcError } from '../rpc/status.ts';
import type { ClientSession } from './client-session.ts';
import type { ReplicaAddress } from './watch-replicas.ts';
import { openReplica } from './replica.ts';
import type { Replica } from './replica.ts';
import { createPendingCallers } from './pending-callers.ts';
import type { WaitOptions } from './pending-callers.ts';
import { watchReplicas } from './watch-replicas.ts';

export type SessionPool = {
  pick: () => ClientSession | undefined;
  /**
   * Resolves with an open session. Rejects with UNAVAILABLE, DEADLINE_EXCEEDED or CANCELLED if
   * there is none in time, or with the error with which the service refuses sessions.
   */
  wait: (options: WaitOptions) => Promise<ClientSession>;
  close: () => void;
};

type SessionPoolOptions = {
  token: () => string;
  credentials: ChannelCredentials | undefined;
  findReplicas: () => Promise<readonly ReplicaAddress[]>;
  renewMs: number;
  /** Called when a `wait` fails because no replica is reachable. */
  onUnreachable: ((error: ServiceError) => void) | undefined;
};

/** Creates a pool of sessions that connects at the first `wait` and then stays connected. */
export const createSessionPool = (options: SessionPoolOptions): SessionPool => {
  const { token, credentials = grpcCredentials.createInsecure() } = options;
  const replicas = new Map<string, Replica>();
  let openSessions: readonly ClientSession[] = [];
  let nextIndex = 0;
  let isClosed = false;
  let renewal: NodeJS.Timeout | undefined;

  const pick = (): ClientSession | undefined => {
    nextIndex = nextIndex + 1 < openSessions.length ? nextIndex + 1 : 0;
    return openSessions[nextIndex];
  };
  const onChange = (): void => {
    openSessions = [...replicas.values()].flatMap((replica) => replica.session() ?? []);
    if (openSessions.length < replicas.size) watch.refreshSoon();
    if (openSessions.length > 0) pendingCallers.resolveAll(() => pick()!);
  };
  const onRefused = (error: Error): void => {
    const failure = fromGrpcError(error as GrpcError);
    // Pending callers continue to wait while the service is unreachable. Other failures reject them
    // at once.
    if (openSessions.length === 0 && failure.reason !== 'UNAVAILABLE')
      pendingCallers.rejectAll(failure);
  };
  const onFound = (replicaAddresses: readonly ReplicaAddress[]): void => {
    for (const replicaAddress of replicaAddresses) {
      if (replicas.has(replicaAddress.target)) continue;
      const replica = openReplica({ ...replicaAddress, credentials, token, onChange, onRefused });
      replicas.set(replicaAddress.target, replica);
    }
    for (const [target, replica] of replicas) {
      if (replicaAddresses.some((replicaAddress) => replicaAddress.target === target)) continue;
      replicas.delete(target);
      replica.drain();
    }
    onChange();
  };
  const watch = watchReplicas(options.findReplicas, onFound);
  const pendingCallers = createPendingCallers<ClientSession>(watch.failure, options.onUnreachable);
  const renew = (): void => {
    for (const replica of replicas.values()) replica.renew();
    watch.refresh();
  };
  return {
    pick,
    wait: async (limits) => {
      if (isClosed) throw unavailable('A call was made over a transport that is closed.');
      if (!renewal) {
        renewal = setInterval(renew, options.renewMs).unref();
        watch.refresh();
      }
      return pick() ?? (await pendingCallers.wait(limits));
    },
    close: () => {
      isClosed = true;
      clearInterval(renewal);
      watch.close();
      for (const replica of replicas.values()) replica.close();
      pendingCallers.rejectAll(unavailable('The transport of a call was closed.'));
    },
  };
};
