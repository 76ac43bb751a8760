import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { MarketAnalysis, MarketStore } from '../market-analysis.ts';

export const createMarketStore = (database: Database): MarketStore => ({
  insert: (workspaceId, { id, query, depth, createdAt, analysis, proofIds }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const proofs = JSON.stringify(proofIds);
      const row = [id, workspaceId, query, depth, analysis, proofs, createdAt.toISOString()];
      await em.execute(INSERT, row);
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const last = after === undefined ? [] : await findPosition(em, [workspaceId, after]);
      const found = await em.execute<ListedRow[]>(listSql(last), [workspaceId, ...last, limit]);
      return found.map(toInstant);
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<FoundRow[]>(FIND, [workspaceId, id]);
      if (!row) return undefined;
      const { proofIds, ...found } = row;
      return { ...toInstant(found), proofIds: JSON.parse(proofIds) as string[] };
    }),
});

const INSERT = `
  INSERT INTO market_analysis
    (id, workspace_id, query, depth, analysis, proof_ids, created_at)
  VALUES (?, ?, ?, ?, ?::json, ?::json, ?)`;

/**
 * Returns the position of an analysis in the list. Returns an empty list if it does not exist, so
 * that listing starts from the newest one.
 */
const findPosition = async (em: Transaction, key: string[]): Promise<string[]> => {
  const [row] = await em.execute<{ position: string }[]>(
    'SELECT position::text AS position FROM market_analysis WHERE workspace_id = ? AND id = ?',
    key,
  );
  return row ? [row.position] : [];
};

const LISTED_COLUMNS = 'id, query, depth, created_at AS "createdAt"';

const listSql = (last: readonly string[]): string => `
  SELECT ${LISTED_COLUMNS} FROM market_analysis
  WHERE workspace_id = ? ${last.length === 0 ? '' : 'AND position < ?::bigint'}
  ORDER BY position DESC LIMIT ?`;

const FIND = `
  SELECT ${LISTED_COLUMNS}, analysis::text AS analysis, proof_ids::text AS "proofIds"
  FROM market_analysis WHERE workspace_id = ? AND id = ?`;

/** A listed row. Raw SQL returns timestamps as text. */
type ListedRow = Pick<MarketAnalysis, 'id' | 'query' | 'depth'> & { createdAt: Date | string };
type FoundRow = ListedRow & { analysis: string; proofIds: string };

const toInstant = <T extends ListedRow>({ createdAt, ...row }: T) => ({
  ...row,
  createdAt: new Date(createdAt),
});
