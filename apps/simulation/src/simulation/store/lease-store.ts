import { randomUUID } from 'node:crypto';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { LeaseStore } from '../turn-store.ts';

/**
 * Creates the store of leases. Only PostgreSQL's clock decides whether a lease has expired, because
 * the clocks of replicas may differ.
 */
export const createLeaseStore = (database: Database): LeaseStore => ({
  lease: (workspaceId, simulationId, leaseMs) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const lease = randomUUID();
      const key = [workspaceId, simulationId];
      const leased = await em.execute<object[]>(LEASE, [lease, leaseMs, ...key]);
      if (leased.length > 0) return { workspaceId, simulationId, lease };
      return (await em.execute<object[]>(FIND, key)).length > 0 ? 'busy' : 'missing';
    }),
  renew: ({ workspaceId, simulationId, lease }, leaseMs) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const renewed = await em.execute<object[]>(RENEW, [leaseMs, simulationId, lease]);
      return renewed.length > 0;
    }),
  release: ({ workspaceId, simulationId, lease }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(RELEASE, [simulationId, lease]);
    }),
});

const LEASE = `
  UPDATE simulation SET lease = ?,
    lease_until = clock_timestamp() + make_interval(secs => ? / 1000.0)
  WHERE workspace_id = ? AND id = ? AND (lease IS NULL OR lease_until <= clock_timestamp())
  RETURNING id`;

const FIND = 'SELECT id FROM simulation WHERE workspace_id = ? AND id = ?';

const RENEW = `
  UPDATE simulation SET lease_until = clock_timestamp() + make_interval(secs => ? / 1000.0)
  WHERE id = ? AND lease = ? RETURNING id`;

const RELEASE = `
  UPDATE simulation SET lease = NULL, lease_until = NULL WHERE id = ? AND lease = ?`;
