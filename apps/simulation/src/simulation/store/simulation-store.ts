import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { parseExactObject } from '../simulation.ts';
import type { ListedSimulation, Simulation, SimulationStore } from '../simulation.ts';
import { insertPanelPurge } from './panel-store.ts';

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
  list: (workspaceId, { limit, after = null }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const rows = await em.execute<ListedRow[]>(LIST, [workspaceId, workspaceId, after, limit]);
      return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }));
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
      await insertPanelPurge(em, { owner: id, workspaceId });
      return true;
    }),
});

const INSERT = `
  INSERT INTO simulation (
    id, workspace_id, name, description, turn_unit, company_base, opening, assumptions, seed,
    horizon_turns, model_version, created_at
  ) VALUES (?, ?, ?, ?, ?, ?::json, ?::json, ?::json, ?, ?, ?, ?)`;

const LISTED_COLUMNS = `
  id, name, turn_unit AS "turnUnit", current_turn AS "currentTurn", state_count AS "stateCount",
  created_at AS "createdAt"`;

/** If `after` was deleted, listing starts from the newest simulation. */
const LIST = `
  SELECT ${LISTED_COLUMNS} FROM simulation
  WHERE workspace_id = ? AND position < coalesce(
    (SELECT position FROM simulation WHERE workspace_id = ? AND id = ?), 9223372036854775807)
  ORDER BY position DESC LIMIT ?`;

/** Raw SQL returns timestamps as text. */
type ListedRow = Omit<ListedSimulation, 'createdAt'> & { createdAt: string };

/**
 * The driver parses JSON columns. `company_base` is read as text, because its numbers must keep all
 * digits.
 */
export const SIMULATION_COLUMNS = `
  ${LISTED_COLUMNS}, description, company_base::text AS "companyBase", opening, assumptions,
  seed::text AS seed, horizon_turns AS "horizonTurns", model_version AS "modelVersion", status`;

export type SimulationRow = Omit<Simulation, 'companyBase' | 'seed' | 'createdAt'> &
  Record<'companyBase' | 'seed' | 'createdAt', string>;

export const toSimulation = (row: SimulationRow): Simulation => ({
  ...row,
  companyBase: parseExactObject(row.companyBase),
  seed: Number(row.seed),
  createdAt: new Date(row.createdAt),
});

const FIND = `SELECT ${SIMULATION_COLUMNS} FROM simulation WHERE workspace_id = ? AND id = ?`;

const DELETE = 'DELETE FROM simulation WHERE workspace_id = ? AND id = ? RETURNING id';
