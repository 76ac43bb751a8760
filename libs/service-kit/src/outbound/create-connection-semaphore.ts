import { cancelled } from '@witan/contracts';

/** Gives a place back; harmless when it is not held any more. */
export type ReleaseConnectionPermit = () => void;

/** Who may open a connection now. */
export type ConnectionSemaphore = {
  /**
   * Resolves when the caller may open one, at the latest after WAIT_MAX_MS. First come, first
   * served, but each scope gets one before any gets a second, and those that hang come last.
   * Rejects with the reason of an aborted signal, and with CANCELLED once closed.
   */
  take: (scope: string, signal?: AbortSignal) => Promise<ReleaseConnectionPermit>;
  close: () => void;
};

export type ConnectionSemaphoreOptions = {
  /** How long this thread has had nothing to do since it began, in milliseconds. */
  idleMs?: () => number;
};

/** Handshakes are this thread's own work: all at once, all of them take as long as their sum. */
export const CONNECTIONS_MAX = 32;
/**
 * A place is for as long as there is work to do for it, and is lost to whoever made this thread
 * wait: hosts that hang cannot hold all places, and a thread that is slow takes none away.
 */
export const HOLD_IDLE_MAX_MS = 50;
/** Callers may count on it, whatever the others do. */
export const WAIT_MAX_MS = 4_000;
/** How often those who wait look for a place that was lost. */
const LOOK_EVERY_MS = 25;

/** Bounds how many connections are being opened at the same time. */
export const createConnectionSemaphore = ({
  idleMs = () => performance.eventLoopUtilization().idle,
}: ConnectionSemaphoreOptions = {}): ConnectionSemaphore => {
  const held = new Map<symbol, { scope: string; sinceIdleMs: number }>();
  /** Places that were lost, and the scopes that have not connected since. */
  const lost = new Map<symbol, string>();
  const line = createLine();
  let looking: NodeJS.Timeout | undefined;
  const hold = (scope: string): ReleaseConnectionPermit => {
    const place = Symbol('place');
    held.set(place, { scope, sinceIdleMs: idleMs() });
    return () => {
      lost.delete(place);
      if (held.delete(place)) admit();
    };
  };
  const admit = (): void => {
    const hanging = new Set(lost.values());
    while (held.size < CONNECTIONS_MAX && line.size() > 0) {
      const next = line.next(hanging);
      next?.enter(hold(next.scope));
    }
    if (line.size() > 0) looking ??= setInterval(look, LOOK_EVERY_MS);
    else stopLooking();
  };
  const look = (): void => {
    const now = idleMs();
    for (const [place, { scope, sinceIdleMs }] of held) {
      if (now - sinceIdleMs < HOLD_IDLE_MAX_MS) continue;
      held.delete(place);
      lost.set(place, scope);
    }
    admit();
  };
  const stopLooking = (): void => {
    clearInterval(looking);
    looking = undefined;
  };
  return {
    take: async (scope, signal) => {
      signal?.throwIfAborted();
      if (held.size < CONNECTIONS_MAX && line.size() === 0) return hold(scope);
      const {
        promise,
        resolve: enter,
        reject: refuse,
      } = Promise.withResolvers<ReleaseConnectionPermit>();
      const leave = line.join({ scope, enter, refuse });
      const onAbort = (): void => refuse(signal?.reason);
      const timer = setTimeout(() => enter(() => {}), WAIT_MAX_MS);
      signal?.addEventListener('abort', onAbort, { once: true });
      admit();
      try {
        return await promise;
      } finally {
        leave();
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    close: () => {
      stopLooking();
      for (let one = line.next(); one; one = line.next()) one.refuse(cancelled());
    },
  };
};

type Waiting = {
  scope: string;
  enter: (leave: ReleaseConnectionPermit) => void;
  refuse: (reason: unknown) => void;
};

/** Those who wait; the scopes take turns. */
const createLine = () => {
  const scopes = new Map<string, Waiting[]>();
  let size = 0;
  /** Takes one out; its scope, when others of it wait, goes behind all the others. */
  const remove = (one: Waiting): void => {
    const waiting = scopes.get(one.scope) ?? [];
    const others = waiting.filter((other) => other !== one);
    if (others.length === waiting.length) return;
    size -= 1;
    scopes.delete(one.scope);
    if (others.length > 0) scopes.set(one.scope, others);
  };
  return {
    size: (): number => size,
    /** Answers how to leave, which is harmless for who was called. */
    join: (one: Waiting): (() => void) => {
      scopes.set(one.scope, [...(scopes.get(one.scope) ?? []), one]);
      size += 1;
      return () => remove(one);
    },
    /** Calls one; of the scopes in `last` only when there is no other. */
    next: (last: ReadonlySet<string> = new Set()): Waiting | undefined => {
      const waiting = [...scopes.keys()];
      const scope = waiting.find((each) => !last.has(each)) ?? waiting[0];
      const next = scope === undefined ? undefined : scopes.get(scope)?.[0];
      if (next) remove(next);
      return next;
    },
  };
};
