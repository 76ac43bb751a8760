import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';

const DNS_TARGET = /^dns:(?:\/\/\/)?([^/]+):(\d+)$/;
/** Matches gRPC's notation for a list of addresses: `ipv4:host:port,host:port`. */
const LISTED_TARGET = /^ipv[46]:([^/]+)$/;

export type ReplicaAddress = {
  target: string;
  /** Host name in the replica's certificate, if it is not the one in `target`. */
  name?: string;
};

/**
 * Returns the addresses to which a `dns:` name resolves, the addresses of a list, or otherwise the
 * target itself as the only replica.
 */
export const findReplicas = async (address: string): Promise<readonly ReplicaAddress[]> => {
  const [, listed] = LISTED_TARGET.exec(address) ?? [];
  if (listed) return listed.split(',').map((target) => ({ target }));
  const [, name, port] = DNS_TARGET.exec(address) ?? [];
  if (!name || !port) return [{ target: address }];
  const found = await lookup(name, { all: true });
  const hosts = new Set(found.map(({ address: ip }) => (isIPv6(ip) ? `[${ip}]` : ip)));
  return [...hosts].map((host) => ({ target: `${host}:${port}`, name }));
};

const LOOKUP_RETRY_MS = 1_000;

export type ReplicaWatch = {
  refresh: () => void;
  refreshSoon: () => void;
  failure: () => unknown;
  close: () => void;
};

/**
 * Looks up the replicas at each refresh and calls `onFound` with the result. A failed lookup is
 * retried after a second and does not call `onFound`.
 */
export const watchReplicas = (
  find: () => Promise<readonly ReplicaAddress[]>,
  onFound: (replicaAddresses: readonly ReplicaAddress[]) => void,
): ReplicaWatch => {
  let isRefreshing = false;
  let isClosed = false;
  let failure: unknown;
  let timer: NodeJS.Timeout | undefined;

  const refreshSoon = (): void => {
    if (isClosed) return;
    timer ??= setTimeout(refresh, LOOKUP_RETRY_MS).unref();
  };
  const refresh = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (isRefreshing) return;
    isRefreshing = true;
    void runLookup().finally(() => {
      isRefreshing = false;
    });
  };
  const runLookup = async (): Promise<void> => {
    try {
      const replicaAddresses = await find();
      failure = undefined;
      if (!isClosed) onFound(replicaAddresses);
    } catch (error) {
      failure = error;
      refreshSoon();
    }
  };
  return {
    refresh,
    refreshSoon,
    failure: () => failure,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
};
