import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ReportSchema, ScenarioSchema, SimulationSchema, StateSchema } from '@witan/contracts';
import type { Report } from '../turn-store.ts';
import type { ListedSimulation, Scenario, Simulation, State } from '../simulation.ts';
import { toDisplayedDecision } from '../step-scenario.ts';

export const toSimulation = ({
  opening: _opening,
  ...simulation
}: Simulation): MessageInitShape<typeof SimulationSchema> => ({
  ...simulation,
  companyBase: JSON.stringify(simulation.companyBase),
  assumptions: [...simulation.assumptions],
  seed: BigInt(simulation.seed),
  createdAt: timestampFromDate(simulation.createdAt),
});

export const toListedSimulation = ({
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
  isFromTemplate,
  ...report
}: Report): MessageInitShape<typeof ReportSchema> => ({
  summary: report.summary,
  keyDecisions: [...report.keyDecisions],
  risks: [...report.risks],
  recommendations: [...report.recommendations],
  proofIds: [...report.proofIds],
  facts: JSON.stringify(facts),
  fromTemplate: isFromTemplate,
});
