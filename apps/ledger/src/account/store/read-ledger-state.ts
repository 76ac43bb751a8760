import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { LedgerState } from '../ledger-state.ts';

export const readLedgerState = (database: Database): Promise<LedgerState> =>
  database.scoped(everyWorkspace, async (em) => {
    const [row] = await em.execute<Record<keyof LedgerState, string>[]>(READ_STATE);
    const entries = Object.entries(row!).map(([name, count]) => [name, Number(count)]);
    return Object.fromEntries(entries) as LedgerState;
  });

const READ_STATE = `
SELECT chain.*, reserved.* FROM (
  SELECT count(*) FILTER (WHERE chain_index >= 0) AS "chains",
         coalesce(max(chain_index) + 1, 0) AS "heightMax",
         coalesce(sum(chain_index + 1), 0) AS "certificates"
  FROM chain_head) AS chain,
(SELECT count(*) AS "held", count(*) FILTER (WHERE expires_at < now()) AS "overdue"
  FROM reservation WHERE state = 'held') AS reserved`;
