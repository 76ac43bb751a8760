import type { SimulationService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { advance } from '../advance.ts';
import type { AdvanceDeps, AdvanceProgress } from '../advance.ts';
import { finalize } from '../finalize.ts';
import { forecastScenario } from '../../simulation/forecast-scenario.ts';
import type { ForecastDeps } from '../../simulation/forecast-scenario.ts';
import { replaySimulation } from '../../simulation/replay-simulation.ts';
import { addScenario, updateScenario } from '../scenarios.ts';
import type { ScenarioDeps } from '../scenarios.ts';
import type { TurnObserver } from '../../simulation/replay-simulation.ts';
import { toReport, toScenario, toState } from '../../simulation/rpc/simulations.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AdvanceEventSchema } from '@witan/contracts';
import { toDisplayedDecision } from '../../simulation/step-scenario.ts';

type TurnHandlersDeps = AdvanceDeps &
  ForecastDeps &
  ScenarioDeps & { observer: TurnObserver; now: () => number };

type TurnHandlers = Pick<
  Handlers<typeof SimulationService>,
  'addScenario' | 'updateScenario' | 'advance' | 'finalize' | 'forecast' | 'replay'
>;

export const createTurnHandlers = (deps: TurnHandlersDeps): TurnHandlers => ({
  addScenario: async (draft, { workspaceId, signal }) => ({
    scenario: toScenario(await addScenario(workspaceId, draft, signal, deps)),
  }),
  updateScenario: async (changes, { workspaceId }) => ({
    scenario: toScenario(await updateScenario(workspaceId, changes, deps)),
  }),
  async *advance(request, caller) {
    const calledAt = deps.now();
    for await (const progress of advance(request, caller, deps)) {
      if (progress.kind === 'advanced')
        deps.observer.onTurn(progress.states, deps.now() - calledAt);
      yield { event: toEvent(progress) };
    }
  },
  finalize: async (request, caller) => ({
    report: toReport(await finalize(request, caller, deps)),
  }),
  forecast: async (request, { workspaceId, signal }) => {
    const calledAt = deps.now();
    const { forecast, ...size } = await forecastScenario(workspaceId, request, signal, deps);
    deps.observer.onForecast(deps.now() - calledAt);
    const { percentiles, intervals, insolvency } = forecast;
    return {
      ...size,
      percentiles,
      intervals,
      insolvencyProbability: insolvency.probability,
      insolvencyLow: insolvency.low,
      insolvencyHigh: insolvency.high,
    };
  },
  replay: async ({ simulationId }, { workspaceId }) => {
    const calledAt = deps.now();
    const replay = await replaySimulation(workspaceId, simulationId, deps);
    deps.observer.onReplayed(replay, deps.now() - calledAt);
    const { turns, mismatches } = replay;
    return { matches: mismatches.length === 0, turns, mismatches };
  },
});

const toEvent = (
  progress: AdvanceProgress,
): MessageInitShape<typeof AdvanceEventSchema>['event'] => {
  switch (progress.kind) {
    case 'started': {
      const { turn, scenarios } = progress;
      return { case: 'started', value: { turn, scenarios: scenarios.map(toScenario) } };
    }
    case 'decided': {
      const { scenarioId, decision } = progress;
      const value = {
        scenarioId,
        decisions: JSON.stringify(toDisplayedDecision(decision)),
        convergenceScore: decision.convergenceScore,
        absentAgents: [...decision.absentAgents],
        fallback: decision.isFallback,
      };
      return { case: 'decided', value };
    }
    case 'stepped':
      return { case: 'stepped', value: { state: toState(progress.state) } };
    case 'advanced': {
      const { states, currentTurn, usage, isFinalized: finalized } = progress;
      return {
        case: 'advanced',
        value: { states: states.map(toState), currentTurn, usage, finalized },
      };
    }
  }
};
