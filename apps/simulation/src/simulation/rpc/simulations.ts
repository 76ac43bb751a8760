import type { SimulationService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type {
  ReportStore,
  Report,
  ListedSimulation,
  Scenario,
  Simulation,
  State,
} from '../simulation.ts';
import { noReport } from '../simulation-errors.ts';
import type { Simulations } from '../simulations.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ReportSchema, ScenarioSchema, SimulationSchema, StateSchema } from '@witan/contracts';
import { toDisplayedDecision } from '../step-scenario.ts';

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

const toSimulation = ({
  opening: _opening,
  ...simulation
}: Simulation): MessageInitShape<typeof SimulationSchema> => ({
  ...simulation,
  companyBase: JSON.stringify(simulation.companyBase),
  assumptions: [...simulation.assumptions],
  seed: BigInt(simulation.seed),
  createdAt: timestampFromDate(simulation.createdAt),
});

const toListedSimulation = ({
  createdAt,
  ...simulation
}: ListedSimulation): MessageInitShape<typeof SimulationSchema> => ({
  ...simulation,
  createdAt: timestampFromDate(createdAt),
});

export const toScenario = ({
  opening: _opening,
  ...scenario
}: Scenario): MessageInitShape<typeof ScenarioSchema> => ({
  ...scenario,
  parameters: JSON.stringify(scenario.parameters),
  ignoredParameters: [...scenario.ignoredParameters],
  createdAt: timestampFromDate(scenario.createdAt),
});

export const toState = (state: State): MessageInitShape<typeof StateSchema> => {
  const { id, scenarioId, turn, stateHash, decisionsHash, decision } = state;
  return {
    id,
    scenarioId,
    turn,
    companyState: JSON.stringify(state.companyState),
    worldState: JSON.stringify(state.worldState),
    events: state.events.map(({ effect, ...event }) => ({
      ...event,
      effect: JSON.stringify(effect),
    })),
    stateHash,
    decisionsHash,
    decisions: JSON.stringify(toDisplayedDecision(decision)),
    proofIds: [...decision.proofIds],
    createdAt: timestampFromDate(state.createdAt),
  };
};

export const toReport = ({
  facts,
  templateReason,
  ...report
}: Report): MessageInitShape<typeof ReportSchema> => ({
  summary: report.summary,
  keyDecisions: [...report.keyDecisions],
  risks: [...report.risks],
  recommendations: [...report.recommendations],
  proofIds: [...report.proofIds],
  facts: JSON.stringify(facts),
  fromTemplate: templateReason !== undefined,
  templateReason: templateReason ?? '',
});
