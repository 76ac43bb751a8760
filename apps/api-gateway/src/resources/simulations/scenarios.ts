import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import { CALL_TIMEOUT_MS, SIMULATION_WAIT_MS } from '../../http/call-timeout.ts';
import type { Route } from '../../http/route.ts';
import { encodeScenario, readObjectText } from './encode-simulation.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { NEW_SCENARIO, SCENARIO, SCENARIO_CHANGE } from './scenario-schema.ts';
import { withInvalidFields } from '../../errors/with-invalid-fields.ts';
import { SCENARIO_ID, SIMULATION_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';

type Simulations = Client<typeof SimulationService>;

const shared = { surface: 'native', tag: 'Simulations' } as const;
const invalid = DOCUMENTED_ERROR.native(
  'A field is missing or too long, or a parameter cannot be (details say which)',
);

export const addScenarioRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'addScenario',
  method: 'post',
  path: '/v1/sim-engine/simulations/{id}/scenarios',
  summary: 'Add a branch of the simulation: the same company in another world',
  scopes: ['sim-engine'],
  body: NEW_SCENARIO,
  idempotent: true,
  responses: {
    201: {
      description:
        'The scenario, active. After turn 0 it begins from the last state of another: that of ' +
        'fromScenarioId, else of the oldest',
      schema: SCENARIO,
    },
    400: invalid,
    404: DOCUMENTED_ERROR.native(
      'No such simulation in this workspace, or no such fromScenarioId in this simulation',
    ),
    409: DOCUMENTED_ERROR.native(
      'The simulation is over (simulation_finalized), has as many scenarios as it may ' +
        '(too_many_scenarios), was being advanced for 120 s (simulation_busy), or a call with ' +
        'this Idempotency-Key runs or lost its answer',
    ),
  },
  handle: async (call) => {
    const { name, description, fromScenarioId } = call.body as Static<typeof NEW_SCENARIO>;
    const draft = {
      simulationId: SIMULATION_ID.read(call.params.id),
      name,
      description: description ?? '',
      parameters: readObjectText(call, 'parameters') ?? '',
      fromScenarioId:
        fromScenarioId === undefined ? '' : SCENARIO_ID.read(fromScenarioId, 'fromScenarioId'),
    };
    const timeoutMs = SIMULATION_WAIT_MS + CALL_TIMEOUT_MS;
    const options = { ...optionsOf(call), timeoutMs };
    const { scenario } = await withInvalidFields(simulations.addScenario(draft, options));
    return { status: 201, json: { scenario: encodeScenario(scenario!) } };
  },
});

export const updateScenarioRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'updateScenario',
  method: 'patch',
  path: '/v1/sim-engine/simulations/{id}/scenarios/{scenarioId}',
  summary: 'Change a scenario, set it aside or take it up again; what is absent stays',
  scopes: ['sim-engine'],
  body: SCENARIO_CHANGE,
  responses: {
    200: { description: 'The scenario as it is now', schema: SCENARIO },
    400: invalid,
    404: DOCUMENTED_ERROR.native(
      'No such simulation in this workspace, or no such scenario in this simulation',
    ),
    409: DOCUMENTED_ERROR.native('The simulation is over (simulation_finalized)'),
  },
  handle: async (call) => {
    const { name, description, isActive } = call.body as Static<typeof SCENARIO_CHANGE>;
    const change = {
      simulationId: SIMULATION_ID.read(call.params.id),
      scenarioId: SCENARIO_ID.read(call.params.scenarioId),
      name,
      description: description === null ? '' : description,
      parameters: readObjectText(call, 'parameters'),
      isActive,
    };
    const { scenario } = await withInvalidFields(
      simulations.updateScenario(change, optionsOf(call)),
    );
    return { status: 200, json: { scenario: encodeScenario(scenario!) } };
  },
});
