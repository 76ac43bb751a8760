import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { LimitStreams } from '../../server/limit-streams.ts';
import type { Route } from '../../http/route.ts';
import { addScenarioRoute, updateScenarioRoute } from './scenarios.ts';
import { advanceRoute } from './simulation-advance.ts';
import { finalizeRoute, reportRoute } from './simulation-report.ts';
import { forecastRoute, replayRoute, statesRoute } from './simulation-states.ts';
import { deleteSimulationRoute, simulationRoute } from './simulation.ts';
import { createSimulationRoute, simulationsRoute } from './simulations.ts';

export const simulationRoutes = (
  simulations: Client<typeof SimulationService>,
  timeoutMs: number,
  limitStreams: LimitStreams,
): Route[] => [
  createSimulationRoute(simulations),
  simulationsRoute(simulations),
  simulationRoute(simulations),
  deleteSimulationRoute(simulations),
  addScenarioRoute(simulations),
  updateScenarioRoute(simulations),
  limitStreams(advanceRoute(simulations, timeoutMs)),
  statesRoute(simulations),
  forecastRoute(simulations),
  replayRoute(simulations),
  finalizeRoute(simulations, timeoutMs),
  reportRoute(simulations),
];
