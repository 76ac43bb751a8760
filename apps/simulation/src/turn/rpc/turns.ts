import type { SimulationService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { advance } from '../advance.ts';
import type { AdvanceDeps } from '../advance.ts';
import { finalize } from '../finalize.ts';
import type { FinalizeDeps } from '../finalize.ts';
import { forecastScenario } from '../../simulation/forecast-scenario.ts';
import type { ForecastDeps } from '../../simulation/forecast-scenario.ts';
import { replaySimulation } from '../../simulation/replay-simulation.ts';
import type { Scenarios } from '../scenarios.ts';
import type { TurnObserver } from '../../simulation/replay-simulation.ts';
import { toAdvanceEvent } from './to-advance-event.ts';
import { toForecast } from './to-forecast.ts';
import { toReport, toScenario } from '../../simulation/rpc/to-simulation.ts';

type TurnHandlersDeps = AdvanceDeps &
  FinalizeDeps &
  ForecastDeps & {
    branches: Scenarios;
    observer: TurnObserver;
    now: () => number;
  };

type TurnHandlers = Pick<
  Handlers<typeof SimulationService>,
  'addScenario' | 'updateScenario' | 'advance' | 'finalize' | 'forecast' | 'replay'
>;

export const createTurnHandlers = (deps: TurnHandlersDeps): TurnHandlers => ({
  addScenario: async (draft, { workspaceId, signal }) => ({
    scenario: toScenario(await deps.branches.add(workspaceId, draft, signal)),
  }),
  updateScenario: async ({ simulationId, scenarioId, ...changes }, { workspaceId }) => {
    const request = { simulationId, scenarioId, changes: toChanges(changes) };
    return { scenario: toScenario(await deps.branches.update(workspaceId, request)) };
  },
  async *advance({ simulationId, expectedTurn, requestSha256 }, caller) {
    const expected = expectedTurn === undefined ? {} : { expectedTurn };
    const request = { simulationId, requestSha256, ...expected };
    const calledAt = deps.now();
    for await (const progress of advance(request, caller, deps)) {
      if (progress.kind === 'advanced')
        deps.observer.onTurn(progress.states, deps.now() - calledAt);
      yield toAdvanceEvent(progress);
    }
  },
  finalize: async ({ simulationId, requestSha256 }, caller) => ({
    report: toReport(await finalize({ simulationId, requestSha256 }, caller, deps)),
  }),
  forecast: async (request, { workspaceId, signal }) => {
    const calledAt = deps.now();
    const forecast = await forecastScenario(workspaceId, request, signal, deps);
    deps.observer.onForecast(deps.now() - calledAt);
    return toForecast(forecast);
  },
  replay: async ({ simulationId }, { workspaceId }) => {
    const calledAt = deps.now();
    const replay = await replaySimulation(workspaceId, simulationId, deps);
    deps.observer.onReplayed(replay, deps.now() - calledAt);
    const { turns, mismatches } = replay;
    return { matches: mismatches.length === 0, turns, mismatches };
  },
});

const toChanges = ({
  name,
  description,
  parameters,
  isActive,
}: {
  name?: string;
  description?: string;
  parameters?: string;
  isActive?: boolean;
}) => ({
  ...(name === undefined ? {} : { name }),
  ...(description === undefined ? {} : { description }),
  ...(parameters === undefined ? {} : { parameters }),
  ...(isActive === undefined ? {} : { isActive }),
});
