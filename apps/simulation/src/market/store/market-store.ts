import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { MarketAnalysis, MarketStore } from '../market-analysis.ts';

export const createMarketStore = (database: Database): MarketStore => ({
  insert: (workspaceId, { id, query, depth, createdAt, analysis, proofIds }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const proofs = JSON.stringify(proofIds);
      const row = [id, workspaceId, query, depth, analysis, proofs, createdAt.toISOString()];
      await em.execute(INSERT, row);
    }),
  list: (workspaceId, { limit, after = null }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const rows = await em.execute<ListedRow[]>(LIST, [workspaceId, workspaceId, after, limit]);
      return rows.map(withDate);
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<FoundRow[]>(FIND, [workspaceId, id]);
      return row && withDate(row);
    }),
});

const INSERT = `
  INSERT INTO market_analysis
    (id, workspace_id, query, depth, analysis, proof_ids, created_at)
  VALUES (?, ?, ?, ?, ?::json, ?::json, ?)`;

const LISTED_COLUMNS = 'id, query, depth, created_at AS "createdAt"';

/** If `after` does not exist, listing starts from the newest analysis. */
const LIST = `
  SELECT ${LISTED_COLUMNS} FROM market_analysis
  WHERE workspace_id = ? AND position < coalesce(
    (SELECT position FROM market_analysis WHERE workspace_id = ? AND id = ?), 9223372036854775807)
  ORDER BY position DESC LIMIT ?`;

const FIND = `
  SELECT ${LISTED_COLUMNS}, analysis::text AS analysis, proof_ids AS "proofIds"
  FROM market_analysis WHERE workspace_id = ? AND id = ?`;

/** Raw SQL returns timestamps as text. */
type ListedRow = Pick<MarketAnalysis, 'id' | 'query' | 'depth'> & { createdAt: string };
type FoundRow = ListedRow & Pick<MarketAnalysis, 'analysis' | 'proofIds'>;

const withDate = <T extends ListedRow>(row: T) => ({ ...row, createdAt: new Date(row.createdAt) });
