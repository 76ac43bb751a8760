import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { encodeListedSimulation, encodeSimulation, readObjectText } from './encode-simulation.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { withInvalidFields } from '../../errors/with-invalid-fields.ts';
import { NEW_SIMULATION, CREATED_SIMULATION, SIMULATIONS } from './simulation-schema.ts';
import { SIMULATION_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Simulations = Client<typeof SimulationService>;

const shared = {
  path: '/v1/sim-engine/simulations',
  surface: 'native',
  tag: 'Simulations',
} as const;

export const createSimulationRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'createSimulation',
  method: 'post',
  summary: 'Begin to play a company forward, by quarters or years',
  scopes: ['sim-engine'],
  body: NEW_SIMULATION,
  idempotent: true,
  responses: {
    201: { description: 'The simulation, at turn 0', schema: CREATED_SIMULATION },
    400: DOCUMENTED_ERROR.native(
      'A field is missing or out of range, or companyBase cannot be (details say which members)',
    ),
  },
  handle: async (call) => {
    const { name, description, turnUnit, horizonTurns, seed } = call.body as Static<
      typeof NEW_SIMULATION
    >;
    const draft = {
      name,
      description: description ?? '',
      turnUnit,
      companyBase: readObjectText(call, 'companyBase')!,
      horizonTurns: horizonTurns ?? 0,
      seed: seed === undefined ? undefined : BigInt(seed),
    };
    const { simulation } = await withInvalidFields(
      simulations.createSimulation(draft, optionsOf(call)),
    );
    return { status: 201, json: { simulation: encodeSimulation(simulation!) } };
  },
});

export const simulationsRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'listSimulations',
  method: 'get',
  summary: "List the workspace's simulations, newest first",
  scopes: ['sim-engine', 'sim-engine:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The simulations', schema: SIMULATIONS },
  },
  handle: async (call) => {
    const request = readPage(call, SIMULATION_ID.is);
    const page = await simulations.listSimulations(request, optionsOf(call));
    return reply(200, SIMULATIONS, page, {
      simulations: page.simulations.map(encodeListedSimulation),
    });
  },
});
