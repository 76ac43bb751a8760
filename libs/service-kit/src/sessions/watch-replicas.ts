import type { ReplicaAddress } from './find-replicas.ts';

const LOOKUP_RETRY_MS = 1_000;

export type ReplicaWatch = {
  refresh: () => void;
  refreshSoon: () => void;
  failure: () => unknown;
  close: () => void;
};

/**
 * Looks up the replicas at each refresh and calls `onFound` with the result. Retries a failed
 * lookup without calling `onFound`.
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
