import type { Pool, PoolClient } from 'pg';

/**
 * Removes connections from the pool that are lost while in use. MikroORM's query builder releases a
 * transaction's connection only after a successful ROLLBACK, which is impossible on a lost
 * connection: the pool would run out of connections.
 */
export const reclaimLostConnections = (pool: Pool): void => {
  const inUse = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => void inUse.add(client));
  pool.on('release', (_error, client) => void inUse.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!inUse.has(client)) return;
      client.release(true);
      // The query builder may still release it.
      client.release = () => {};
    });
  });
};
