import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { StateStore } from '../simulation.ts';
import { STATE_COLUMNS, toState } from './simulation-rows.ts';
import type { StateRow } from './simulation-rows.ts';

export const createStateStore = (database: Database): StateStore => ({
  list: (workspaceId, { simulationId, scenarioId, fromTurn = 0, limit }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const rows = await em.execute<StateRow[]>(listSql(scenarioId !== undefined), [
        workspaceId,
        simulationId,
        fromTurn,
        ...(scenarioId === undefined ? [] : [scenarioId]),
        limit,
      ]);
      return rows.map(toState);
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

const listSql = (isOfScenario: boolean): string => `
  SELECT ${STATE_COLUMNS} FROM state
  WHERE workspace_id = ? AND simulation_id = ? AND turn >= ?
    ${isOfScenario ? 'AND scenario_id = ?' : ''}
  ORDER BY turn DESC, position DESC LIMIT ?`;

const FIND_LAST_STATES = `
  SELECT DISTINCT ON (scenario_id) ${STATE_COLUMNS} FROM state
  WHERE workspace_id = ? AND simulation_id = ? ORDER BY scenario_id, turn DESC`;

const PAGE_ROWS = 100;

const LIST_ALL = `
  SELECT ${STATE_COLUMNS} FROM state
  WHERE workspace_id = ? AND scenario_id = ? AND turn > ? ORDER BY turn LIMIT ${PAGE_ROWS}`;
