import { unavailable } from '@witan/contracts';
import type { Database } from './open-database.ts';

type Limits = { runningMax: number; pendingMax: number };

/**
 * Returns the database with at most `runningMax` calls of `scopedClient` at once, so that slow
 * reads leave connections of its pool to other work. Up to `pendingMax` calls wait, in order;
 * further ones are rejected with UNAVAILABLE.
 */
export const limitScopedClients = (
  database: Database,
  { runningMax, pendingMax }: Limits,
): Database => {
  const pending: (() => void)[] = [];
  let running = 0;
  const acquire = async (): Promise<void> => {
    if (running < runningMax) {
      running += 1;
      return;
    }
    if (pending.length >= pendingMax) throw unavailable('Too many reads wait; retry later.');
    await new Promise<void>((resolve) => pending.push(resolve));
  };
  const release = (): void => {
    const next = pending.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    ...database,
    scopedClient: async (scope, work) => {
      await acquire();
      try {
        return await database.scopedClient(scope, work);
      } finally {
        release();
      }
    },
  };
};
