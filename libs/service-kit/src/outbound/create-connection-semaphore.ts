import { cancelled } from '@witan/contracts';

export type ReleaseConnectionPermit = () => void;

export type ConnectionSemaphore = {
  /**
   * Resolves when a permit is free, or after WAIT_MAX_MS without one. Scopes, such as workspaces,
   * get permits round robin; those that have a revoked permit come last. Rejects with the reason of
   * an aborted signal, and with CANCELLED once the semaphore is closed.
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
 * Maximum number of connections being opened. TLS handshakes use this thread's CPU, so that without
 * a limit each handshake would take as long as all of them together.
 */
export const CONNECTIONS_MAX = 32;
/**
 * Idle time of the thread after which a permit is revoked, in milliseconds. Hosts that hang
 * therefore cannot exhaust the permits, while a busy thread revokes none.
 */
export const PERMIT_IDLE_MAX_MS = 50;
export const WAIT_MAX_MS = 4_000;
const REVOKE_INTERVAL_MS = 25;

export const createConnectionSemaphore = ({
  idleMs = () => performance.eventLoopUtilization().idle,
}: ConnectionSemaphoreOptions = {}): ConnectionSemaphore => {
  const activePermits = new Map<symbol, { scope: string; sinceIdleMs: number }>();
  const revokedPermits = new Map<symbol, string>();
  const pending = createPendingCallers();
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
      const next = pending.next(hangingScopes);
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
      const removeCaller = pending.add({ scope, resolve, reject });
      const onAbort = (): void => reject(signal?.reason);
      const timer = setTimeout(() => resolve(() => {}), WAIT_MAX_MS);
      signal?.addEventListener('abort', onAbort, { once: true });
      grantFreePermits();
      try {
        return await promise;
      } finally {
        removeCaller();
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    close: () => {
      stopRevoking();
      for (let caller = pending.next(); caller; caller = pending.next()) caller.reject(cancelled());
    },
  };
};

type PendingCaller = {
  scope: string;
  resolve: (release: ReleaseConnectionPermit) => void;
  reject: (reason: unknown) => void;
};

const createPendingCallers = () => {
  const scopes = new Map<string, PendingCaller[]>();
  let size = 0;
  const remove = (caller: PendingCaller): void => {
    const callers = scopes.get(caller.scope) ?? [];
    const remaining = callers.filter((other) => other !== caller);
    if (remaining.length === callers.length) return;
    size -= 1;
    scopes.delete(caller.scope);
    if (remaining.length > 0) scopes.set(caller.scope, remaining);
  };
  return {
    size: (): number => size,
    add: (caller: PendingCaller): (() => void) => {
      scopes.set(caller.scope, [...(scopes.get(caller.scope) ?? []), caller]);
      size += 1;
      return () => remove(caller);
    },
    next: (deprioritized: ReadonlySet<string> = new Set()): PendingCaller | undefined => {
      const scopeNames = [...scopes.keys()];
      const scope = scopeNames.find((name) => !deprioritized.has(name)) ?? scopeNames[0];
      const next = scope === undefined ? undefined : scopes.get(scope)?.[0];
      if (next) remove(next);
      return next;
    },
  };
};
