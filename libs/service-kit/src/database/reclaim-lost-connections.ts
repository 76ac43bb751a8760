import type { Pool, PoolClient } from 'pg';

/**
 * Gives a pool the place of a connection back that was lost while it was in use. The query builder
 * below MikroORM releases a transaction's connection only once its ROLLBACK has succeeded, which on
 * a lost connection it never does: a few of them, and everybody would wait for ever.
 */
export const reclaimLostConnections = (pool: Pool): void => {
  const inUse = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => void inUse.add(client));
  pool.on('release', (_error, client) => void inUse.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!inUse.has(client)) return;
      client.release(true);
      // Whoever still thinks that it holds it may release it, too.
      client.release = () => {};
    });
  });
};
