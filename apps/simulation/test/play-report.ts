import type { JsonObject } from '@bufbuild/protobuf';
import {
  decide,
  forecast,
  MODEL_VERSION,
  openState,
  readCompanyBase,
} from '../src/engine/engine.ts';
import type { EngineState, Levers, TurnUnit } from '../src/engine/engine.ts';
import { computeReport } from '../src/report/compute-report.ts';
import { toReported } from '../src/report/scenario-history.ts';
import type { ScenarioHistory, ReportedState } from '../src/report/scenario-history.ts';
import type { Scenario, Simulation } from '../src/simulation/simulation.ts';
import { stepScenario } from '../src/simulation/step-scenario.ts';

export type PlayedScenario = {
  name: string;
  parameters?: JsonObject;
  paused?: readonly number[];
  from?: number;
};

export type ReportPlay = {
  name?: string;
  description?: string;
  companyBase: JsonObject;
  turnUnit?: TurnUnit;
  seed: number;
  turns: number;
  scenarios: readonly PlayedScenario[];
  council?: (turn: number, scenario: string) => Partial<Levers> | undefined;
};

const CREATED_AT = new Date('2026-01-01T00:00:00Z');
const NO_VERDICT = {
  convergenceScore: 0,
  absentAgents: [],
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
  proofIds: [],
};

export const playReported = (
  play: ReportPlay,
): { simulation: Simulation; histories: readonly ScenarioHistory[] } => {
  const { name = 'Acme', description = '', companyBase, turnUnit = 'quarter', seed, turns } = play;
  const opening = openState(readCompanyBase(companyBase).company);
  const simulation: Simulation = {
    ...{ id: 'sim_1', name, description, assumptions: [], status: 'active' },
    ...{ turnUnit, companyBase, opening, seed, horizonTurns: 0, modelVersion: MODEL_VERSION },
    ...{ currentTurn: turns, stateCount: turns, createdAt: CREATED_AT },
  };
  const histories: ScenarioHistory[] = [];
  for (const [index, one] of play.scenarios.entries()) {
    const { from = 0, parameters = {} } = one;
    const start = from === 0 ? opening : histories[0]!.states[from - 1]!.engineState;
    const scenario: Scenario = {
      ...{ id: `scn_${index}`, simulationId: 'sim_1', name: one.name, description: '' },
      ...{ parameters, ignoredParameters: [], isActive: true, forkedAtTurn: from },
      ...{ opening: start, createdAt: CREATED_AT },
    };
    histories.push({ scenario, states: playScenario(simulation, scenario, one, play) });
  }
  return { simulation, histories };
};

const playScenario = (
  simulation: Simulation,
  scenario: Scenario,
  { paused = [], from = 0 }: PlayedScenario,
  { turns, council = () => undefined }: ReportPlay,
): ReportedState[] => {
  let before: EngineState = scenario.opening;
  const states: ReportedState[] = [];
  for (let turn = from + 1; turn <= turns; turn += 1) {
    if (paused.includes(turn)) continue;
    const proposedLevers = council(turn, scenario.name);
    const proposal = { agentId: 'agt_1', agentName: 'Ann', confidence: 0.7, rationale: '' };
    const proposals = proposedLevers ? [{ ...proposal, levers: proposedLevers }] : [];
    const decided = decide(proposals, before, simulation.turnUnit);
    const decision = { ...NO_VERDICT, proposals, ...decided };
    const stepped = stepScenario({ simulation, scenario, before, decision, turn });
    before = stepped.engineState;
    states.push(toReported({ ...stepped, id: `sta_${turn}`, createdAt: CREATED_AT }));
  }
  return states;
};

export const reportOf = (play: ReportPlay) =>
  computeReport(playReported(play), new AbortController().signal, {
    runForecast: async (state, input) => forecast(state, input),
  });

export const toPage = ({
  template: { summary, risks, recommendations },
  keyDecisions,
}: Awaited<ReturnType<typeof reportOf>>): string =>
  [
    summary,
    ...toList('Key decisions', keyDecisions),
    ...toList('Risks', risks),
    ...toList('Recommendations', recommendations),
  ].join('\n\n') + '\n';

const toList = (title: string, entries: readonly string[]): string[] => [
  `## ${title}`,
  entries.map((entry) => `- ${entry}`).join('\n'),
];
