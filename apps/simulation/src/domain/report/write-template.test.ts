import { describe, expect, it } from '@jest/globals';
import { decide, MODEL_VERSION, openState, readCompanyBase } from '../engine/engine.ts';
import type { EngineState } from '../engine/engine.ts';
import type { Scenario, Simulation, State } from '../simulation/simulation.ts';
import { stepScenario } from '../turn/step-scenario.ts';
import { computeFacts } from './compute-facts.ts';
import { describeDecision, findKeyDecisions, toDecisionFacts } from './key-decisions.ts';
import { findNumberFaults } from './number-lock/find-number-faults.ts';
import { normalizeProse } from './number-lock/normalize-prose.ts';
import { toReported } from './scenario-course.ts';
import { writeTemplate } from './write-template.ts';

type Play = {
  companyBase: Record<string, number | string>;
  turnUnit?: 'quarter' | 'year';
  seed: number;
  turns: number;
  names: readonly string[];
};

const AT = new Date('2026-01-01T00:00:00Z');
const WORLDS: Record<string, number>[] = [
  {},
  { gdpGrowth: -6 },
  { gdpGrowth: 6, inflationRate: 12 },
  { interestRate: 15 },
];
const NO_VERDICT = {
  convergenceScore: 0,
  absentAgents: [],
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
  proofIds: [],
};

/** Some turns in some worlds, with decisions that change from turn to turn. */
const play = ({ companyBase, turnUnit = 'quarter', seed, turns, names }: Play) => {
  const opening = openState(readCompanyBase(companyBase).company);
  const simulation: Simulation = {
    ...{ id: 'sim_1', name: 'Acme', description: '', assumptions: [], status: 'active' },
    ...{ turnUnit, companyBase, opening, seed, horizonTurns: 0, modelVersion: MODEL_VERSION },
    ...{ currentTurn: turns, stateCount: turns, createdAt: AT },
  };
  const scenarios = names.map((name, place): Scenario => {
    const parameters = WORLDS[place % WORLDS.length]!;
    const rest = { description: '', ignoredParameters: [], isActive: true, forkedAtTurn: 0 };
    return {
      id: `scn_${place}`,
      simulationId: 'sim_1',
      name,
      parameters,
      opening,
      ...rest,
      createdAt: AT,
    };
  });
  const courses = scenarios.map((scenario) => ({
    scenario,
    states: playScenario(simulation, scenario).map(toReported),
  }));
  return { simulation, courses };
};

const playScenario = (simulation: Simulation, scenario: Scenario): State[] => {
  let before: EngineState = scenario.opening;
  return Array.from({ length: simulation.currentTurn }, (_, place) => {
    const turn = place + 1;
    const levers = { marketingPct: (turn * 7) % 40, headcountChange: turn % 3 === 0 ? -20 : 5 };
    const wanted = { ...levers, priceChange: (turn % 5) - 2, costProgram: turn === 2 ? 4 : 0 };
    const proposal = { agentId: 'agt_1', agentName: 'Ann', confidence: 0.7, rationale: '' };
    const proposals = turn % 4 === 0 ? [] : [{ ...proposal, levers: wanted }];
    const decided = decide(proposals, before, simulation.turnUnit);
    const decision = { ...NO_VERDICT, proposals, ...decided };
    const state = stepScenario({ simulation, scenario, before, decision, turn });
    before = state.engineState;
    return { ...state, id: `sta_${turn}`, createdAt: AT };
  });
};

const COMPANIES: Play['companyBase'][] = [
  { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000, cash: 1_500_000 },
  { sector: 'retail', revenue: 80_000_000, employees: 400, cash: 9_000_000 },
  { sector: 'manufacturing', revenue: 1_234_567, employees: 11, cash: 3 },
  { sector: 'services', revenue: 0, employees: 1, cash: 50 },
];

describe('the report that rules write', () => {
  it.each(
    COMPANIES.flatMap((companyBase) =>
      [1, 2, 9].map((turns) => ({ companyBase, turns, sector: companyBase.sector })),
    ),
  )('tells nothing but facts: $sector, $turns turns', ({ companyBase, turns }) => {
    for (const names of [['Baseline'], ['Baseline', 'Plan -5% / 2027', '3x', 'A', 'B', 'C']]) {
      for (const turnUnit of ['quarter', 'year'] as const) {
        const { simulation, courses } = play({ companyBase, turnUnit, seed: turns, turns, names });
        const decisions = findKeyDecisions(simulation, courses);
        const facts = [...computeFacts(simulation, courses), ...toDecisionFacts(decisions)];
        const { summary, risks, recommendations } = writeTemplate({ turns, courses, decisions });
        const told = decisions.map((one) => describeDecision(one, names.length === 1));
        const lock = { facts, names };
        for (const text of [summary, ...risks, ...recommendations, ...told]) {
          expect([text, findNumberFaults(normalizeProse(text), lock)]).toEqual([text, []]);
          expect(text).not.toMatch(/undefined|NaN|Infinity/);
        }
        expect(risks.length).toBeGreaterThan(0);
        expect(recommendations.length).toBeGreaterThan(0);
      }
    }
  });
});
