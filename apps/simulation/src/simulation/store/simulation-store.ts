import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { SimulationStore } from '../simulation.ts';
import { LISTED_COLUMNS, SIMULATION_COLUMNS, toListed, toSimulation } from './simulation-rows.ts';
import type { ListedRow, SimulationRow } from './simulation-rows.ts';

export const createSimulationStore = (database: Database): SimulationStore => ({
  insert: (workspaceId, simulation) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(INSERT, [
        simulation.id,
        workspaceId,
        simulation.name,
        simulation.description,
        simulation.turnUnit,
        JSON.stringify(simulation.companyBase),
        JSON.stringify(simulation.opening),
        JSON.stringify(simulation.assumptions),
        simulation.seed,
        simulation.horizonTurns,
        simulation.modelVersion,
        simulation.createdAt.toISOString(),
      ]);
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const last = after === undefined ? [] : await findPosition(em, [workspaceId, after]);
      const rows = await em.execute<ListedRow[]>(listSql(last), [workspaceId, ...last, limit]);
      return rows.map(toListed);
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<SimulationRow[]>(FIND, [workspaceId, id]);
      return row && toSimulation(row);
    }),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const deleted = await em.execute<object[]>(DELETE, [workspaceId, id]);
      if (deleted.length === 0) return false;
      await em.execute(INSERT_PANEL_PURGE, [id, workspaceId]);
      return true;
    }),
});

const INSERT = `
  INSERT INTO simulation (
    id, workspace_id, name, description, turn_unit, company_base, opening, assumptions, seed,
    horizon_turns, model_version, created_at
  ) VALUES (?, ?, ?, ?, ?, ?::json, ?::json, ?::json, ?, ?, ?, ?)`;

/**
 * Returns the position of a simulation in the list. Returns an empty list if it was deleted, so
 * that listing starts from the newest one.
 */
const findPosition = async (em: Transaction, key: string[]): Promise<string[]> => {
  const [row] = await em.execute<{ position: string }[]>(
    'SELECT position::text AS position FROM simulation WHERE workspace_id = ? AND id = ?',
    key,
  );
  return row ? [row.position] : [];
};

const listSql = (last: readonly string[]): string => `
  SELECT ${LISTED_COLUMNS} FROM simulation
  WHERE workspace_id = ? ${last.length === 0 ? '' : 'AND position < ?::bigint'}
  ORDER BY position DESC LIMIT ?`;

const FIND = `SELECT ${SIMULATION_COLUMNS} FROM simulation WHERE workspace_id = ? AND id = ?`;

const DELETE = 'DELETE FROM simulation WHERE workspace_id = ? AND id = ? RETURNING id';

const INSERT_PANEL_PURGE = `
  INSERT INTO panel_purge (owner, workspace_id, due_at) VALUES (?, ?, clock_timestamp())
  ON CONFLICT (owner) DO UPDATE SET due_at = excluded.due_at`;
