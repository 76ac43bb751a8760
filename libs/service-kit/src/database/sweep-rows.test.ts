import { describe, expect, it } from '@jest/globals';
import { openEventDatabase } from '../../test/events/open-event-database.ts';
import { sweepRows } from './sweep-rows.ts';
import type { Sweep } from './sweep-rows.ts';

const INBOX: Sweep = { table: 'inbox', key: 'fact_id', since: 'booked_at', retentionDays: 30 };

describe('sweepRows', () => {
  it('deletes all old matching rows, concurrently with another replica', async () => {
    await using eventDatabase = await openEventDatabase();
    const otherDatabase = await eventDatabase.openDatabase();
    await eventDatabase.rows(`INSERT INTO inbox
      SELECT 'old ' || n, now() - interval '31 days' FROM generate_series(1, 2500) AS n`);
    await eventDatabase.rows(`INSERT INTO inbox VALUES
      ('old and needed', now() - interval '31 days'), ('young', now() - interval '29 days')`);
    const sweep = { ...INBOX, where: `fact_id <> 'old and needed'` };
    const deleted = await Promise.all(
      [eventDatabase.database, otherDatabase].map((replica) => sweepRows(replica, sweep)),
    );
    expect(deleted[0]! + deleted[1]!).toBe(2_500);
    const remaining = await eventDatabase.rows('SELECT fact_id FROM inbox ORDER BY fact_id');
    expect(remaining.map((row) => row['fact_id'])).toEqual(['old and needed', 'young']);
  });
});
