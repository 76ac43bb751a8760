import { sweepRows } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/** The log shows the last 50 of a webhook; older ones serve questions only. */
const KEPT_DAYS = 30;

/** Deletes deliveries that ended long ago. Answers how many. */
export const sweepDeliveries = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'delivery',
    key: 'id',
    since: 'created_at',
    retentionDays: KEPT_DAYS,
    where: `state <> 'pending'`,
  });
