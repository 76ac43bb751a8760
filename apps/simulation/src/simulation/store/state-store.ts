import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { parseExactObject } from '../simulation.ts';
import type { State, StateStore } from '../simulation.ts';

export const createStateStore = (database: Database): StateStore => ({
  list: (workspaceId, { simulationId, scenarioId = null, fromTurn = 0, limit }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const values = [workspaceId, simulationId, fromTurn, scenarioId, scenarioId, limit];
      return (await em.execute<StateRow[]>(LIST, values)).map(toState);
    }),
  findLast: (workspaceId, simulationId) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const rows = await em.execute<StateRow[]>(FIND_LAST_STATES, [workspaceId, simulationId]);
      return new Map(rows.map((row) => [row.scenarioId, toState(row)]));
    }),
  async *readAll(workspaceId, scenarioId) {
    let page: StateRow[];
    let turn = 0;
    do {
      page = await database.scoped(workspaceScope(workspaceId), (em) =>
        em.execute<StateRow[]>(LIST_ALL, [workspaceId, scenarioId, turn]),
      );
      for (const row of page) yield toState(row);
      turn = page.at(-1)?.turn ?? turn;
    } while (page.length === PAGE_ROWS);
  },
});

const STATE_COLUMNS = `
  id, scenario_id AS "scenarioId", turn, engine_state AS "engineState",
  company_state::text AS "companyState", world_state AS "worldState", events, decision,
  parameters::text AS parameters, state_hash AS "stateHash", decisions_hash AS "decisionsHash",
  model_version AS "modelVersion", created_at AS "createdAt"`;

type TextColumn = 'companyState' | 'parameters' | 'createdAt';
type StateRow = Omit<State, TextColumn> & Record<TextColumn, string>;

const toState = (row: StateRow): State => ({
  ...row,
  companyState: parseExactObject(row.companyState),
  parameters: parseExactObject(row.parameters),
  createdAt: new Date(row.createdAt),
});

const LIST = `
  SELECT ${STATE_COLUMNS} FROM state
  WHERE workspace_id = ? AND simulation_id = ? AND turn >= ?
    AND (?::text IS NULL OR scenario_id = ?)
  ORDER BY turn DESC, position DESC LIMIT ?`;

const FIND_LAST_STATES = `
  SELECT DISTINCT ON (scenario_id) ${STATE_COLUMNS} FROM state
  WHERE workspace_id = ? AND simulation_id = ? ORDER BY scenario_id, turn DESC`;

const PAGE_ROWS = 100;

const LIST_ALL = `
  SELECT ${STATE_COLUMNS} FROM state
  WHERE workspace_id = ? AND scenario_id = ? AND turn > ? ORDER BY turn LIMIT ${PAGE_ROWS}`;
