import { randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { SimulationReportReadySchema, SimulationTickCompletedSchema } from '@witan/contracts';
import { workspaceScope, writeEvent } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import { LeaseLostError } from '../simulation.ts';
import type {
  LeasedSimulation,
  LeaseStore,
  Report,
  ReportStore,
  State,
  TurnStore,
} from '../simulation.ts';
import { SIMULATION_COLUMNS, toSimulation } from './simulation-store.ts';
import type { SimulationRow } from './simulation-store.ts';

/**
 * Creates the store of leases. Only PostgreSQL's clock decides whether a lease has expired, because
 * the clocks of replicas may differ.
 */
export const createLeaseStore = (database: Database): LeaseStore => ({
  acquire: (workspaceId, simulationId, leaseMs) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const lease = randomUUID();
      const key = [workspaceId, simulationId];
      const leased = await em.execute<object[]>(ACQUIRE, [lease, leaseMs, ...key]);
      if (leased.length > 0) return { workspaceId, simulationId, lease };
      return (await em.execute<object[]>(FIND_SIMULATION, key)).length > 0 ? 'busy' : 'missing';
    }),
  renew: ({ workspaceId, simulationId, lease }, leaseMs) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const renewed = await em.execute<object[]>(RENEW, [leaseMs, simulationId, lease]);
      return renewed.length > 0;
    }),
  release: ({ workspaceId, simulationId, lease }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(RELEASE, [simulationId, lease]);
    }),
});

const ACQUIRE = `
  UPDATE simulation SET lease = ?,
    lease_until = clock_timestamp() + make_interval(secs => ? / 1000.0)
  WHERE workspace_id = ? AND id = ? AND (lease IS NULL OR lease_until <= clock_timestamp())
  RETURNING id`;

const FIND_SIMULATION = 'SELECT id FROM simulation WHERE workspace_id = ? AND id = ?';

const RENEW = `
  UPDATE simulation SET lease_until = clock_timestamp() + make_interval(secs => ? / 1000.0)
  WHERE id = ? AND lease = ? RETURNING id`;

const RELEASE = `
  UPDATE simulation SET lease = NULL, lease_until = NULL WHERE id = ? AND lease = ?`;

export const createTurnStore = (database: Database): TurnStore => ({
  commitTurn: (leased, { turn, states }) =>
    database.scoped(workspaceScope(leased.workspaceId), async (em) => {
      const { workspaceId, simulationId, lease } = leased;
      const values = [turn, states.length, workspaceId, simulationId, lease, turn - 1];
      const [row] = await em.execute<SimulationRow[]>(UPDATE_SIMULATION, values);
      if (!row) throw new LeaseLostError();
      for (const state of states) await insertState(em, leased, state);
      const completed = { simulationId, turn, stateCount: states.length };
      const message = create(SimulationTickCompletedSchema, completed);
      const payload = toBinary(SimulationTickCompletedSchema, message);
      await writeEvent(em, { workspaceId, type: 'simulation.tick.completed', payload });
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
  await em.execute(INSERT_STATE, [
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

const INSERT_STATE = `
  INSERT INTO state (
    id, workspace_id, simulation_id, scenario_id, turn, engine_state, company_state, world_state,
    events, decision, parameters, state_hash, decisions_hash, model_version, created_at
  ) VALUES (?, ?, ?, ?, ?, ?::json, ?::json, ?::json, ?::json, ?::json, ?::json, ?, ?, ?, ?)`;

export const createReportStore = (database: Database): ReportStore => ({
  find: (workspaceId, simulationId) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<{ body: Report }[]>(FIND_REPORT, [workspaceId, simulationId]);
      return row?.body;
    }),
  finalize: (leased, report) =>
    database.scoped(workspaceScope(leased.workspaceId), async (em) => {
      const { workspaceId, simulationId, lease } = leased;
      const [row] = await em.execute<{ name: string; turnsCompleted: number }[]>(FINALIZE, [
        workspaceId,
        simulationId,
        lease,
      ]);
      if (!row) throw new LeaseLostError();
      await em.execute(INSERT_REPORT, [simulationId, workspaceId, JSON.stringify(report)]);
      const message = create(SimulationReportReadySchema, { simulationId, ...row });
      const payload = toBinary(SimulationReportReadySchema, message);
      await writeEvent(em, { workspaceId, type: 'simulation.report.ready', payload });
    }),
});

const FIND_REPORT = 'SELECT body FROM report WHERE workspace_id = ? AND simulation_id = ?';

const FINALIZE = `
  UPDATE simulation SET status = 'finalized'
  WHERE workspace_id = ? AND id = ? AND lease = ? AND status = 'active'
  RETURNING name, current_turn AS "turnsCompleted"`;

const INSERT_REPORT = `
  INSERT INTO report (simulation_id, workspace_id, body, created_at)
  VALUES (?, ?, ?::json, clock_timestamp())`;
