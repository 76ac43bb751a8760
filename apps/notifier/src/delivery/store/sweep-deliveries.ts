import { sweepRows } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/**
 * Retention time of ended deliveries. The API shows only the last 50 of a webhook; older ones serve
 * support requests.
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
