import { unavailable } from '@witan/contracts';
import { isDatabaseUnreachable, SCOPE_SETTING } from '@witan/service-kit';
import type { Database, Scope } from '@witan/service-kit';
import type { PoolClient } from 'pg';

/**
 * Runs `work` in a transaction with the given scope, like `Database.scoped`, but on a client of the
 * pool: it sends large values as parameters, while the ORM would write them into the SQL text.
 */
export const runOnPool = async <T>(
  { pool }: Pick<Database, 'pool'>,
  scope: Scope,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> => {
  try {
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
  } catch (error) {
    if (!isDatabaseUnreachable(error)) throw error;
    throw unavailable('A part of the service is not reachable for the moment; try again.', error);
  }
};
