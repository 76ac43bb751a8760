import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { Pool } from 'undici';
import { createPinnedConnector } from './create-pinned-connector.ts';
import type { TargetUrl } from './parse-target-url.ts';

/** Kept connections, each reachable only for who opened it and while DNS says the same. */
export type PinnedPools = {
  /** The connections of this scope to this host at these checked addresses. */
  poolFor: (key: { scope: string; target: TargetUrl; addresses: readonly string[] }) => Pool;
  /** Breaks all connections. */
  close: () => Promise<void>;
};

/** A connection is not used any more once it is this old, in milliseconds. */
const KEEP_ALIVE_MAX_MS = 30_000;
/** Idle connections of hosts that do not say how long they keep theirs, in milliseconds. */
const IDLE_MS = 4_000;
const CONNECT_MAX_MS = 10_000;
/** Connections of one pool; calls beyond it wait their turn. */
const CONNECTIONS_MAX = 64;
const POOLS_MAX = 1_024;
const HEADERS_BYTES_MAX = 16 * 1024;

/** Opens pools on demand; the least recently used ones are let go. `ca` as for the client. */
export const createPinnedPools = ({ ca }: { ca: string | undefined }): PinnedPools => {
  const secureContext = createSecureContext({ ca });
  /** In the order of last use. */
  const cached = new Map<string, { pool: Pool; usedAt: number }>();
  const evict = (): void => {
    const now = performance.now();
    for (const [key, { pool, usedAt }] of cached) {
      if (cached.size <= POOLS_MAX && now - usedAt <= KEEP_ALIVE_MAX_MS) return;
      cached.delete(key);
      // Lets running calls end; a failure belongs to them.
      pool.close().catch(() => {});
    }
  };
  return {
    poolFor: ({ scope, target, addresses }) => {
      const key = JSON.stringify([scope, target.origin, ...addresses.toSorted()]);
      const pool = cached.get(key)?.pool ?? openPool(target.origin, addresses, secureContext);
      cached.delete(key);
      cached.set(key, { pool, usedAt: performance.now() });
      evict();
      return pool;
    },
    close: async () => {
      const pools = [...cached.values()].map(({ pool }) => pool);
      cached.clear();
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
};

/** undici's own timers are off: they watch for silence, and a dripping answer is never silent. */
const openPool = (
  origin: string,
  addresses: readonly string[],
  secureContext: SecureContext,
): Pool =>
  new Pool(origin, {
    connect: createPinnedConnector({ addresses, timeoutMs: CONNECT_MAX_MS, secureContext }),
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    allowH2: false,
    clientTtl: KEEP_ALIVE_MAX_MS,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: HEADERS_BYTES_MAX,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
