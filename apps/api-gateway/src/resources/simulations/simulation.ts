import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { encodeScenario, encodeSimulation, encodeState } from './encode-simulation.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { SIMULATION_WITH_STATES } from './simulation-schema.ts';
import { SIMULATION_ID } from '../resource-id.ts';

type Simulations = Client<typeof SimulationService>;

const shared = {
  path: '/v1/sim-engine/simulations/{id}',
  surface: 'native',
  tag: 'Simulations',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such simulation in this workspace');

export const simulationRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'getSimulation',
  method: 'get',
  summary: 'One simulation with its scenarios and its last 50 states',
  scopes: ['sim-engine', 'sim-engine:read'],
  responses: {
    200: { description: 'The simulation', schema: SIMULATION_WITH_STATES },
    404: notFoundError,
  },
  handle: async (call) => {
    const request = { simulationId: SIMULATION_ID.read(call.params.id) };
    const response = await simulations.getSimulation(request, optionsOf(call));
    const simulation = {
      ...encodeSimulation(response.simulation!),
      scenarios: response.scenarios.map(encodeScenario),
      states: response.states.map(encodeState),
    };
    return { status: 200, json: { simulation } };
  },
});

export const deleteSimulationRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'deleteSimulation',
  method: 'delete',
  summary: 'Delete a simulation with its scenarios, states, debates and report',
  scopes: ['sim-engine'],
  responses: { 204: { description: 'It is gone' }, 404: notFoundError },
  handle: async (call) => {
    await simulations.deleteSimulation(
      { simulationId: SIMULATION_ID.read(call.params.id) },
      optionsOf(call),
    );
    return { status: 204 };
  },
});
