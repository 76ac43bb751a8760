import type { SimulationService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { ReportStore } from '../turn-store.ts';
import { noReport } from '../simulation-errors.ts';
import type { Simulations } from '../simulations.ts';
import {
  toListedSimulation,
  toReport,
  toScenario,
  toSimulation,
  toState,
} from './to-simulation.ts';

type SimulationHandlers = Pick<
  Handlers<typeof SimulationService>,
  | 'createSimulation'
  | 'listSimulations'
  | 'getSimulation'
  | 'deleteSimulation'
  | 'listStates'
  | 'getReport'
>;

export const createSimulationHandlers = (
  simulations: Simulations,
  reports: Pick<ReportStore, 'find'>,
): SimulationHandlers => ({
  createSimulation: async (draft, { workspaceId }) => ({
    simulation: toSimulation(await simulations.create(workspaceId, draft)),
  }),
  listSimulations: async (page, { workspaceId }) => {
    const { items, nextCursor } = await simulations.list(workspaceId, page);
    return { simulations: items.map(toListedSimulation), nextCursor };
  },
  getSimulation: async ({ simulationId }, { workspaceId }) => {
    const found = await simulations.get(workspaceId, simulationId);
    return {
      simulation: toSimulation(found.simulation),
      scenarios: found.scenarios.map(toScenario),
      states: found.states.map(toState),
    };
  },
  deleteSimulation: async ({ simulationId }, { workspaceId }) => {
    await simulations.remove(workspaceId, simulationId);
    return {};
  },
  listStates: async ({ simulationId, scenarioId, fromTurn, limit }, { workspaceId }) => {
    const scenario = scenarioId === '' ? {} : { scenarioId };
    const request = { simulationId, ...scenario, fromTurn, limit };
    return { states: (await simulations.listStates(workspaceId, request)).map(toState) };
  },
  getReport: async ({ simulationId }, { workspaceId }) => {
    const report = await reports.find(workspaceId, simulationId);
    if (!report) throw noReport();
    return { report: toReport(report) };
  },
});
