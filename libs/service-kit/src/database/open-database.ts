import { MikroORM } from '@mikro-orm/postgresql';
import type { EntityManager, Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { unavailable } from '@witan/contracts';
import { Pool } from 'pg';
import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';
import type { Log } from '../log/create-log.ts';
import { withSpan } from '../telemetry/with-span.ts';
import { closeSilentConnections } from './close-silent-connections.ts';
import { isDatabaseUnreachable } from './is-database-unreachable.ts';
import { CONNECT_TIMEOUT_MS, migrateSchema, toMigratorOptions } from './migrate-schema.ts';
import type { NamedMigration } from './migrate-schema.ts';
import { retryUntilDatabaseReady } from './retry-until-database-ready.ts';
import { SCOPE_SETTING } from './scope.ts';
import type { Scope } from './scope.ts';

export type Transaction = EntityManager;

/** Disposing waits for running transactions and statements, and rejects later ones. */
export type Database = AsyncDisposable & {
  /**
   * Runs `work` in one transaction, in which row-level security limits access to `scope`. Rejects
   * with UNAVAILABLE when the server is unreachable, otherwise with the original error.
   */
  scoped: <T>(scope: Scope, work: (em: EntityManager) => Promise<T>) => Promise<T>;
  /**
   * Like `scoped`, but passes a client of `pg`. Use it for large values: `pg` sends them as
   * parameters, while the ORM writes them into the SQL text.
   */
  scopedClient: <T>(scope: Scope, work: (client: PoolClient) => Promise<T>) => Promise<T>;
  /**
   * Runs one statement on `pg`, without a transaction, which costs less; for frequent statements.
   * The statement itself must set the database scope. Rejects with UNAVAILABLE when the server is
   * unreachable.
   */
  query: <Row extends QueryResultRow>(statement: QueryConfig) => Promise<Row[]>;
  /**
   * Pool for background work. Its queries reject with the original errors of `pg`, not with
   * UNAVAILABLE.
   */
  pool: Pool;
  /** Rejects with UNAVAILABLE if the server is unreachable. */
  check: () => Promise<void>;
};

/** Acquires the advisory lock `name` until the transaction ends. */
export const lockUntilCommit = async (em: Transaction, name: string): Promise<void> => {
  await em.execute('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
};

type DatabaseOptions = {
  url: string;
  schema: string;
  entities: NonNullable<Options['entities']>;
  migrations: readonly NamedMigration[];
  log: Log;
  poolSize?: number;
  /** Time in milliseconds to wait for PostgreSQL and its role, database and schema. */
  waitMs?: number;
};

const POOL_SIZE = 5;
const STATEMENT_TIMEOUT_MS = 15_000;
/** Leaves 5 s for the end of a statement to arrive after its timeout. */
const SILENCE_MAX_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Connects to the database and applies pending migrations; a lock lets one replica at a time
 * migrate. Rejects with DatabaseNotReadyError if the database is not ready within `waitMs`.
 */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  // Migrations have no statement timeout, so the limit begins after them.
  let silenceMaxMs = 0;
  const limit = (): number => silenceMaxMs;
  const orm = await MikroORM.init({
    clientUrl: options.url,
    schema: options.schema,
    entities: options.entities,
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    pool: { min: 0, max: options.poolSize ?? POOL_SIZE },
    driverOptions: {
      // Passed to the driver as well, because MikroORM ignores the TLS settings of `clientUrl`.
      connectionString: options.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // The pool may be created later, by the first call of `scoped`.
      onPoolCreated: (created: Pool) => {
        reclaimLostConnections(created);
        closeSilentConnections(created, limit);
      },
    },
    migrations: toMigratorOptions(options.migrations),
    allowGlobalContext: false,
    debug: false,
  });
  const { pool, close: closePool } = openPool(options);
  closeSilentConnections(pool, limit);
  try {
    await retryUntilDatabaseReady(options, () => migrateSchema(orm, pool, options));
    silenceMaxMs = SILENCE_MAX_MS;
  } catch (error) {
    await Promise.all([orm.close(true), closePool()]);
    throw error;
  }
  const work = createWork(options);
  return {
    pool,
    scoped: (scope, callback) => work.run('transaction', () => runScoped(orm, scope, callback)),
    scopedClient: (scope, callback) =>
      work.run('transaction', () => runOnClient(pool, scope, callback)),
    query: <Row extends QueryResultRow>(statement: QueryConfig) =>
      work.run(statement.name ?? 'query', async () => (await pool.query<Row>(statement)).rows),
    check: async () => {
      await pool.query('select 1').catch(throwUnavailable);
    },
    [Symbol.asyncDispose]: async () => {
      // Kysely 0.29 loses a connection that is acquired while it closes, and then waits for it
      // forever.
      await work.close();
      await Promise.all([orm.close(true), closePool()]);
    },
  };
};

const openPool = ({ url, poolSize = POOL_SIZE, log }: DatabaseOptions) => {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // Without keepalive, a connection that only listens for notifications would not detect that it
    // was lost.
    keepAlive: true,
  });
  // Logs lost connections, which the pool replaces. Without a listener the `error` event would end
  // the process.
  let isClosing = false;
  const onLost = (err: Error): void => {
    if (!isClosing) log.warn({ event: 'database_disconnected', err }, 'Database connection lost');
  };
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', onLost));
  const close = async (): Promise<void> => {
    isClosing = true;
    await pool.end();
  };
  return { pool, close };
};

type Work = {
  /** Runs the callback in a span. Rejects with UNAVAILABLE after `close`. */
  run: <T>(name: string, callback: () => Promise<T>) => Promise<T>;
  /** Resolves when all running callbacks have ended. */
  close: () => Promise<void>;
};

const createWork = ({ schema, log }: DatabaseOptions): Work => {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  const attributes = { 'db.system.name': 'postgresql', 'db.namespace': schema };
  return {
    run: async (name, callback) => {
      if (isClosed) throw unavailable('The database connections are closed.');
      const result = withSpan({ name: `${name} ${schema}`, role: 'client', attributes }, () =>
        rejectUnreachable(log, callback),
      );
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(running);
    },
  };
};

const rejectUnreachable = async <T>(log: Log, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (err) {
    if (isDatabaseUnreachable(err)) {
      log.warn(
        { event: 'database_unreachable', err },
        'A database call failed, because there was no connection or it was lost',
      );
    }
    return throwUnavailable(err);
  }
};

/** Throws UNAVAILABLE if the error means that the server is unreachable, otherwise the error. */
const throwUnavailable = (error: unknown): never => {
  if (!isDatabaseUnreachable(error)) throw error;
  throw unavailable('A part of the service is not reachable for the moment; try again.', error);
};

const runScoped = <T>(
  orm: MikroORM,
  scope: Scope,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> =>
  orm.em.fork().transactional(async (em) => {
    await em.execute('select set_config(?, ?, true)', [SCOPE_SETTING, scope.setting]);
    return await work(em);
  });

const runOnClient = async <T>(
  pool: Pool,
  scope: Scope,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT set_config($1, $2, true)', [SCOPE_SETTING, scope.setting]);
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    const isBroken = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    );
    client.release(isBroken);
    throw error;
  }
};

/**
 * Removes connections from the pool that are lost while in use. After a failed transaction,
 * MikroORM's query builder releases the connection only if ROLLBACK succeeds, which is impossible
 * on a lost connection, so that the pool would run out of connections.
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
