import { cancelled } from '@witan/contracts';
import { createFairQueue } from '../schedule/fair-queue.ts';

export type ReleaseConnectionPermit = () => void;

export type ConnectionSemaphore = {
  /**
   * Resolves when a permit is free, or after WAIT_MAX_MS without one. Scopes, such as workspaces,
   * get permits round robin; those that have a revoked permit come last. Rejects with the reason of
   * an aborted signal, or with CANCELLED if the semaphore is closed during the wait.
   */
  acquire: (scope: string, signal?: AbortSignal) => Promise<ReleaseConnectionPermit>;
  close: () => void;
};

export type ConnectionSemaphoreOptions = {
  /**
   * Returns the time that this thread's event loop has been idle since its start, in milliseconds.
   */
  idleMs?: () => number;
};

/**
 * Number of permits to open a connection. TLS handshakes use this thread's CPU, so that without a
 * limit each handshake would take as long as all of them together.
 */
export const CONNECTIONS_MAX = 32;
/**
 * Idle time of the thread, in milliseconds, after which a permit is revoked if other callers wait
 * for one. Hosts that hang therefore cannot exhaust the permits, while a busy thread revokes none.
 */
export const PERMIT_IDLE_MAX_MS = 50;
export const WAIT_MAX_MS = 4_000;
const REVOKE_INTERVAL_MS = 25;

type PendingCaller = {
  scope: string;
  resolve: (release: ReleaseConnectionPermit) => void;
  reject: (reason: unknown) => void;
};

export const createConnectionSemaphore = ({
  idleMs = () => performance.eventLoopUtilization().idle,
}: ConnectionSemaphoreOptions = {}): ConnectionSemaphore => {
  const activePermits = new Map<symbol, { scope: string; sinceIdleMs: number }>();
  const revokedPermits = new Map<symbol, string>();
  const pending = createFairQueue<PendingCaller>();
  let revokeTimer: NodeJS.Timeout | undefined;
  const grantPermit = (scope: string): ReleaseConnectionPermit => {
    const permit = Symbol('permit');
    activePermits.set(permit, { scope, sinceIdleMs: idleMs() });
    return () => {
      revokedPermits.delete(permit);
      if (activePermits.delete(permit)) grantFreePermits();
    };
  };
  const grantFreePermits = (): void => {
    const hangingScopes = new Set(revokedPermits.values());
    while (activePermits.size < CONNECTIONS_MAX && pending.size() > 0) {
      const next = pending.take((scope) => !hangingScopes.has(scope)) ?? pending.take();
      next?.resolve(grantPermit(next.scope));
    }
    if (pending.size() > 0) revokeTimer ??= setInterval(revokeIdle, REVOKE_INTERVAL_MS);
    else stopRevoking();
  };
  const revokeIdle = (): void => {
    const now = idleMs();
    for (const [permit, { scope, sinceIdleMs }] of activePermits) {
      if (now - sinceIdleMs < PERMIT_IDLE_MAX_MS) continue;
      activePermits.delete(permit);
      revokedPermits.set(permit, scope);
    }
    grantFreePermits();
  };
  const stopRevoking = (): void => {
    clearInterval(revokeTimer);
    revokeTimer = undefined;
  };
  return {
    acquire: async (scope, signal) => {
      signal?.throwIfAborted();
      if (activePermits.size < CONNECTIONS_MAX && pending.size() === 0) return grantPermit(scope);
      const { promise, resolve, reject } = Promise.withResolvers<ReleaseConnectionPermit>();
      const caller: PendingCaller = { scope, resolve, reject };
      pending.add(scope, caller);
      const onAbort = (): void => reject(signal?.reason);
      const timer = setTimeout(() => resolve(() => {}), WAIT_MAX_MS);
      signal?.addEventListener('abort', onAbort, { once: true });
      grantFreePermits();
      try {
        return await promise;
      } finally {
        pending.remove(scope, caller);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    close: () => {
      stopRevoking();
      for (const { reject } of pending.items()) reject(cancelled());
    },
  };
};
