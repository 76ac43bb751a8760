import { sweepRows } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/**
 * Longer than the API needs (it lists the last 50 deliveries of a webhook), for support requests.
 */
const RETENTION_DAYS = 30;

export const sweepDeliveries = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'delivery',
    key: 'id',
    since: 'created_at',
    retentionDays: RETENTION_DAYS,
    where: `state <> 'pending'`,
  });
