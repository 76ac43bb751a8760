import { describe, expect, it } from '@jest/globals';
import { openBoxes } from '../../test/events/open-boxes.ts';
import { sweepRows } from './sweep-rows.ts';
import type { Sweep } from './sweep-rows.ts';

const INBOX: Sweep = { table: 'inbox', key: 'fact_id', since: 'booked_at', retentionDays: 30 };

describe('sweepRows', () => {
  it('deletes all old matching rows, concurrently with another replica', async () => {
    await using boxes = await openBoxes();
    const other = await boxes.openDatabase();
    await boxes.rows(`INSERT INTO inbox
      SELECT 'old ' || n, now() - interval '31 days' FROM generate_series(1, 2500) AS n`);
    await boxes.rows(`INSERT INTO inbox VALUES
      ('old and needed', now() - interval '31 days'), ('young', now() - interval '29 days')`);
    const sweep = { ...INBOX, where: `fact_id <> 'old and needed'` };
    const swept = await Promise.all([boxes.database, other].map((one) => sweepRows(one, sweep)));
    expect(swept[0]! + swept[1]!).toBe(2_500);
    const left = await boxes.rows('SELECT fact_id FROM inbox ORDER BY fact_id');
    expect(left.map((row) => row['fact_id'])).toEqual(['old and needed', 'young']);
  });
});
