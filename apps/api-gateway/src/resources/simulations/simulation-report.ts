import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { CERTIFIED_ERRORS, openProof } from '../certified-call.ts';
import { encodeReport } from './encode-simulation.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { IGNORED_BODY, REPORT } from './simulation-schema.ts';
import { SIMULATION_ID } from '../resource-id.ts';

type Simulations = Client<typeof SimulationService>;

const shared = {
  surface: 'native',
  tag: 'Simulations',
} as const;

export const finalizeRoute = (simulations: Simulations, timeoutMs: number): Route => ({
  ...shared,
  id: 'finalizeSimulation',
  method: 'post',
  path: '/v1/sim-engine/simulations/{id}/finalize',
  summary: 'End a simulation and write its report; once it is there, it is answered again',
  scopes: ['sim-engine'],
  body: IGNORED_BODY,
  idempotent: true,
  responses: {
    200: { description: 'The report', schema: REPORT },
    ...CERTIFIED_ERRORS,
    404: DOCUMENTED_ERROR.native('No such simulation in this workspace'),
    409: DOCUMENTED_ERROR.native(
      'No turn was made yet (nothing_to_report), it was being advanced for 120 s ' +
        '(simulation_busy), or a call with this Idempotency-Key runs or lost its answer',
    ),
  },
  handle: async (call) => {
    const { requestSha256 } = openProof(call);
    const request = { simulationId: SIMULATION_ID.read(call.params.id), requestSha256 };
    const { report } = await simulations.finalize(request, { ...optionsOf(call), timeoutMs });
    return { status: 200, json: { report: encodeReport(report!) } };
  },
});

export const reportRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'getSimulationReport',
  method: 'get',
  path: '/v1/sim-engine/simulations/{id}/report',
  summary: 'The report of a simulation that is over',
  scopes: ['sim-engine', 'sim-engine:read'],
  responses: {
    200: { description: 'The report', schema: REPORT },
    404: DOCUMENTED_ERROR.native(
      'No such simulation in this workspace, or none that is over: there is no report yet',
    ),
  },
  handle: async (call) => {
    const request = { simulationId: SIMULATION_ID.read(call.params.id) };
    const { report } = await simulations.getReport(request, optionsOf(call));
    return { status: 200, json: { report: encodeReport(report!) } };
  },
});
