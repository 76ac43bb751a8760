import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { State } from '../simulation.ts';
import { LeaseLostError } from '../turn-store.ts';
import type { LeasedSimulation, TurnStore } from '../turn-store.ts';
import { SIMULATION_COLUMNS, toSimulation } from './simulation-rows.ts';
import type { SimulationRow } from './simulation-rows.ts';
import { emitTickCompleted } from './emit-simulation-events.ts';

export const createTurnStore = (database: Database): TurnStore => ({
  commitTurn: (leased, { turn, states }) =>
    database.scoped(workspaceScope(leased.workspaceId), async (em) => {
      const { workspaceId, simulationId, lease } = leased;
      const values = [turn, states.length, workspaceId, simulationId, lease, turn - 1];
      const [row] = await em.execute<SimulationRow[]>(UPDATE_SIMULATION, values);
      if (!row) throw new LeaseLostError();
      for (const state of states) await insertState(em, leased, state);
      await emitTickCompleted(em, leased, { turn, stateCount: states.length });
      return toSimulation(row);
    }),
});

const UPDATE_SIMULATION = `
  UPDATE simulation SET current_turn = ?, state_count = state_count + ?
  WHERE workspace_id = ? AND id = ? AND lease = ? AND current_turn = ? AND status = 'active'
  RETURNING ${SIMULATION_COLUMNS}`;

const insertState = async (
  em: Transaction,
  { workspaceId, simulationId }: LeasedSimulation,
  state: State,
): Promise<void> => {
  await em.execute(INSERT, [
    state.id,
    workspaceId,
    simulationId,
    state.scenarioId,
    state.turn,
    JSON.stringify(state.engineState),
    JSON.stringify(state.companyState),
    JSON.stringify(state.worldState),
    JSON.stringify(state.events),
    JSON.stringify(state.decision),
    JSON.stringify(state.parameters),
    state.stateHash,
    state.decisionsHash,
    state.modelVersion,
    state.createdAt.toISOString(),
  ]);
};

const INSERT = `
  INSERT INTO state (
    id, workspace_id, simulation_id, scenario_id, turn, engine_state, company_state, world_state,
    events, decision, parameters, state_hash, decisions_hash, model_version, created_at
  ) VALUES (?, ?, ?, ?, ?, ?::json, ?::json, ?::json, ?::json, ?::json, ?::json, ?, ?, ?, ?)`;
