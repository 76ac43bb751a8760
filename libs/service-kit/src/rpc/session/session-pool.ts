import { credentials as grpcCredentials } from '@grpc/grpc-js';
import type { ChannelCredentials, ServiceError as GrpcError } from '@grpc/grpc-js';
import { unavailable } from '@witan/contracts';
import { fromGrpcError } from '../status.ts';
import type { ClientSession } from './client-session.ts';
import type { ReplicaAddress } from './find-replicas.ts';
import { openReplica } from './replica.ts';
import type { Replica } from './replica.ts';
import { createPendingCallers } from './pending-callers.ts';
import type { WaitOptions } from './pending-callers.ts';
import { watchReplicas } from './watch-replicas.ts';

/** Open sessions with every replica of a service. */
export type SessionPool = {
  /** The next session in turn, or undefined while none is open. */
  pick: () => ClientSession | undefined;
  /** Rejects as a waiting room does, or with the reason why the service opens no session. */
  wait: (options: WaitOptions) => Promise<ClientSession>;
  /** Breaks every session. */
  close: () => void;
};

type SessionPoolOptions = {
  /** Answers this service's token for the target. */
  token: () => string;
  credentials: ChannelCredentials | undefined;
  findReplicas: () => Promise<readonly ReplicaAddress[]>;
  /** How often replicas are looked up and sessions renewed, in milliseconds. */
  renewMs: number;
};

/** Creates a pool that connects when it is first asked, and from then on stays connected. */
export const createSessionPool = (options: SessionPoolOptions): SessionPool => {
  const { token, credentials = grpcCredentials.createInsecure() } = options;
  const replicas = new Map<string, Replica>();
  let open: readonly ClientSession[] = [];
  let turn = 0;
  let isClosed = false;
  let renewal: NodeJS.Timeout | undefined;

  const pick = (): ClientSession | undefined => {
    turn = turn + 1 < open.length ? turn + 1 : 0;
    return open[turn];
  };
  const onChange = (): void => {
    open = [...replicas.values()].flatMap((replica) => replica.session() ?? []);
    if (open.length < replicas.size) watch.refreshSoon();
    if (open.length > 0) waiting.admit(() => pick()!);
  };
  const onRefused = (error: Error): void => {
    const failure = fromGrpcError(error as GrpcError);
    // That it cannot be reached is what callers wait for to change.
    if (open.length === 0 && failure.reason !== 'UNAVAILABLE') waiting.refuse(failure);
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
      replica.leave();
    }
    onChange();
  };
  const watch = watchReplicas(options.findReplicas, onFound);
  const waiting = createPendingCallers<ClientSession>(watch.failure);
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
      return pick() ?? (await waiting.wait(limits));
    },
    close: () => {
      isClosed = true;
      clearInterval(renewal);
      watch.close();
      for (const replica of replicas.values()) replica.close();
      waiting.refuse(unavailable('The transport of a call was closed.'));
    },
  };
};
