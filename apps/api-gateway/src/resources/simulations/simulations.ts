import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import {
  encodeListedSimulation,
  encodeSimulation,
  isSimulationId,
  readObjectText,
} from './encode-simulation.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { encodeNext, PAGE_QUERY, readPage } from '../list-page.ts';
import { withInvalidFields } from '../../errors/with-invalid-fields.ts';
import { NEW_SIMULATION, CREATED_SIMULATION, SIMULATIONS } from './simulation-schema.ts';

type Simulations = Client<typeof SimulationService>;
type NewSimulationBody = {
  name: string;
  description?: string | null;
  turnUnit: string;
  horizonTurns?: number | null;
  seed?: number;
};

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
    const { name, description, turnUnit, horizonTurns, seed } = call.body as NewSimulationBody;
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
    400: DOCUMENTED_ERROR.native('limit is out of range, or cursor is none that was given'),
  },
  handle: async (call) => {
    const request = readPage(call, isSimulationId);
    const page = await simulations.listSimulations(request, optionsOf(call));
    const encoded = page.simulations.map(encodeListedSimulation);
    return { status: 200, json: { simulations: encoded, ...encodeNext(page.nextCursor) } };
  },
});
