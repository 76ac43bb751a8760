import type { Pool, PoolClient } from 'pg';

/**
 * Removes connections from the pool that are lost while in use. MikroORM's query builder releases
 * the connection of a transaction only after a successful ROLLBACK, which is impossible on a lost
 * connection, so that the pool would run out of connections.
 */
export const reclaimLostConnections = (pool: Pool): void => {
  const inUse = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => void inUse.add(client));
  pool.on('release', (_error, client) => void inUse.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!inUse.has(client)) return;
      client.release(true);
      // Makes a later release by the query builder harmless, because `pg` throws on a second
      // release.
      client.release = () => {};
    });
  });
};
