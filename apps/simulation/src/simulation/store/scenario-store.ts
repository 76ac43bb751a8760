import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { parseExactObject } from '../simulation.ts';
import type { Scenario, ScenarioStore } from '../simulation.ts';

export const createScenarioStore = (database: Database): ScenarioStore => ({
  list: (workspaceId, simulationId) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const rows = await em.execute<ScenarioRow[]>(LIST, [workspaceId, simulationId]);
      return rows.map(toScenario);
    }),
  insert: (workspaceId, scenario) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const inserted = await em.execute<object[]>(INSERT, [
        scenario.id,
        scenario.name,
        scenario.description,
        JSON.stringify(scenario.parameters),
        JSON.stringify(scenario.ignoredParameters),
        scenario.isActive,
        scenario.forkedAtTurn,
        JSON.stringify(scenario.opening),
        scenario.createdAt.toISOString(),
        workspaceId,
        scenario.simulationId,
      ]);
      return inserted.length > 0;
    }),
  update: (workspaceId, { simulationId, scenarioId, changes }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const { name, description, parameters, ignoredParameters, isActive } = changes;
      const [row] = await em.execute<ScenarioRow[]>(UPDATE, [
        name ?? null,
        description ?? null,
        parameters === undefined ? null : JSON.stringify(parameters),
        ignoredParameters === undefined ? null : JSON.stringify(ignoredParameters),
        isActive ?? null,
        workspaceId,
        simulationId,
        scenarioId,
      ]);
      return row && toScenario(row);
    }),
});

const SCENARIO_COLUMNS = `
  id, simulation_id AS "simulationId", name, description, parameters::text AS parameters,
  ignored_parameters AS "ignoredParameters", is_active AS "isActive",
  forked_at_turn AS "forkedAtTurn", opening, created_at AS "createdAt"`;

type ScenarioRow = Omit<Scenario, 'parameters' | 'createdAt'> &
  Record<'parameters' | 'createdAt', string>;

const toScenario = (row: ScenarioRow): Scenario => ({
  ...row,
  parameters: parseExactObject(row.parameters),
  createdAt: new Date(row.createdAt),
});

const LIST = `
  SELECT ${SCENARIO_COLUMNS} FROM scenario
  WHERE workspace_id = ? AND simulation_id = ? ORDER BY position`;

/** Locks the simulation's row, so that it cannot be deleted before the scenario is inserted. */
const INSERT = `
  INSERT INTO scenario (
    id, workspace_id, simulation_id, name, description, parameters, ignored_parameters, is_active,
    forked_at_turn, opening, created_at
  )
  SELECT ?, workspace_id, id, ?, ?, ?::json, ?::json, ?::boolean, ?::integer, ?::json,
    ?::timestamptz
  FROM simulation WHERE workspace_id = ? AND id = ? FOR KEY SHARE
  RETURNING id`;

const UPDATE = `
  UPDATE scenario SET name = coalesce(?::text, name),
    description = coalesce(?::text, description), parameters = coalesce(?::json, parameters),
    ignored_parameters = coalesce(?::json, ignored_parameters),
    is_active = coalesce(?::boolean, is_active)
  WHERE workspace_id = ? AND simulation_id = ? AND id = ? RETURNING ${SCENARIO_COLUMNS}`;
