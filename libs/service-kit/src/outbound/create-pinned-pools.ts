import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { Pool } from 'undici';
import { createPinnedConnector } from './create-pinned-connector.ts';
import type { TargetUrl } from './parse-target-url.ts';

/**
 * Connection pools. A connection is reused only within one scope (such as a workspace) and only
 * while DNS returns the same addresses.
 */
export type PinnedPools = {
  poolFor: (key: { scope: string; target: TargetUrl; addresses: readonly string[] }) => Pool;
  close: () => Promise<void>;
};

const KEEP_ALIVE_MAX_MS = 30_000;
const IDLE_MS = 4_000;
const CONNECT_MAX_MS = 10_000;
const CONNECTIONS_MAX = 64;
const POOLS_MAX = 1_024;
const HEADERS_BYTES_MAX = 16 * 1024;

export const createPinnedPools = ({ ca }: { ca: string | undefined }): PinnedPools => {
  const secureContext = createSecureContext({ ca });
  const cached = new Map<string, { pool: Pool; usedAt: number }>();
  const evict = (): void => {
    const now = performance.now();
    for (const [key, { pool, usedAt }] of cached) {
      if (cached.size <= POOLS_MAX && now - usedAt <= KEEP_ALIVE_MAX_MS) return;
      cached.delete(key);
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

/**
 * Opens a pool without undici's timeouts for headers and body: they detect silence, but not a
 * response that arrives very slowly, which the client's time budget limits.
 */
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
