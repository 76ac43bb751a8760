import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';

/**
 * Closes connections of the pool that are in use and on which nothing was sent or received for
 * `silenceMaxMs()`, so that their queries fail; 0 is no limit. If the server vanishes without
 * closing its connections, they would otherwise wait until TCP gives up, which takes about 15
 * minutes. The time must exceed the statement timeout, after which a server that is reachable
 * responds.
 */
export const closeSilentConnections = (pool: Pool, silenceMaxMs: () => number): void => {
  const onSilent = function (this: Socket): void {
    this.destroy();
  };
  pool.on('acquire', (client) => void socketOf(client).setTimeout(silenceMaxMs(), onSilent));
  pool.on('release', (_error, client) => void socketOf(client).setTimeout(0, onSilent));
};

/** Sets another limit until the connection is released, or none if it is 0. */
export const limitSilence = (client: PoolClient, silenceMaxMs: number): void => {
  socketOf(client).setTimeout(silenceMaxMs);
};

/** Returns the socket of a client of `pg`, which its types omit. */
const socketOf = (client: PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
