import type { SimulationService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { advance } from '../domain/turn/advance.ts';
import type { AdvanceDeps } from '../domain/turn/advance.ts';
import { finalize } from '../domain/turn/finalize.ts';
import type { FinalizeDeps } from '../domain/turn/finalize.ts';
import { forecastScenario } from '../domain/turn/forecast-scenario.ts';
import type { ForecastDeps } from '../domain/turn/forecast-scenario.ts';
import { replaySimulation } from '../domain/turn/replay-simulation.ts';
import type { Scenarios } from '../domain/turn/scenarios.ts';
import { toAdvanceEvent } from './to-advance-event.ts';
import { toReport, toScenario } from './to-simulation.ts';

export type TurnHandlersDeps = AdvanceDeps & FinalizeDeps & ForecastDeps & { branches: Scenarios };

type TurnHandlers = Pick<
  Handlers<typeof SimulationService>,
  'addScenario' | 'updateScenario' | 'advance' | 'finalize' | 'forecast' | 'replay'
>;

/** Playing the simulations of the calling workspace. */
export const createTurnHandlers = (deps: TurnHandlersDeps): TurnHandlers => ({
  addScenario: async (draft, { workspaceId, signal }) => ({
    scenario: toScenario(await deps.branches.add(workspaceId, draft, signal)),
  }),
  updateScenario: async ({ simulationId, scenarioId, ...changes }, { workspaceId }) => {
    const wanted = { simulationId, scenarioId, changes: toChanges(changes) };
    return { scenario: toScenario(await deps.branches.update(workspaceId, wanted)) };
  },
  async *advance({ simulationId, expectedTurn, requestSha256 }, caller) {
    const expected = expectedTurn === undefined ? {} : { expectedTurn };
    const asked = { simulationId, requestSha256, ...expected };
    for await (const progress of advance(asked, caller, deps)) yield toAdvanceEvent(progress);
  },
  finalize: async ({ simulationId, requestSha256 }, caller) => ({
    report: toReport(await finalize({ simulationId, requestSha256 }, caller, deps)),
  }),
  forecast: async (asked, { workspaceId, signal }) => {
    const { turns, runs, forecast } = await forecastScenario(workspaceId, asked, signal, deps);
    const { percentiles, insolvency } = forecast;
    return {
      turns,
      runs,
      percentiles: Object.fromEntries(
        Object.entries(percentiles).map(([name, { revenue, cash, marketShare }]) => [
          name,
          { revenue: [...revenue], cash: [...cash], marketShare: [...marketShare] },
        ]),
      ),
      insolvencyProbability: insolvency.probability,
      insolvencyLow: insolvency.low,
      insolvencyHigh: insolvency.high,
    };
  },
  replay: async ({ simulationId }, { workspaceId }) => {
    const { turns, mismatches } = await replaySimulation(workspaceId, simulationId, deps);
    return { matches: mismatches.length === 0, turns, mismatches };
  },
});

/** What a message leaves out stays. */
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
