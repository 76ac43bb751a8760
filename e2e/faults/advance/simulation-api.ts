import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../client.ts';
import type { Client, ClientOf } from '../client.ts';
import { SCENARIOS, toName } from './played-company.ts';

export type StartedSimulation = {
  id: string;
  /** Names of the scenarios by id. */
  scenarios: ReadonlyMap<string, string>;
};

export type AdvancedSimulation = {
  simulation: {
    states: { proofs: string[]; decisions: { absentAgents: string[]; fallback: boolean } }[];
  };
  report: { proofs: string[] };
  replay: { matches: boolean };
};

export type SimulationApi = {
  begin: (number: number) => Promise<StartedSimulation>;
  /** Retries the first turn until it is made; returns every status, or 0 for no response. */
  advance: (id: string, limitMs: number) => Promise<number[]>;
  read: (id: string) => Promise<AdvancedSimulation>;
  createWebhook: (url: string) => Promise<void>;
};

const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000, cash: 900_000 };
const SEED = 20_261_122;
/** Statuses after which the turn is made, by this or an earlier call. */
const MADE: readonly number[] = [200, 409];
const AGAIN_MS = 200;
const PATH = '/sim-engine/simulations';

/** A turn may wait for leases of dead processes. */
const PATIENCE_MS = 240_000;

/** Opens a client that connects anew for every call, because the edge may have been replaced. */
export const openSimulationApi = (readFile: () => Promise<ClientOf>): SimulationApi => {
  const open = async (): Promise<Client> => openClient(await readFile(), PATIENCE_MS);
  const call = async <T>(method: string, path: string, body?: object): Promise<T> =>
    (await open()).read<T>(method, path, body);
  return {
    begin: async (number) => {
      const name = toName(number);
      const more = { turnUnit: 'year', companyBase: COMPANY, seed: SEED, horizonTurns: 1 };
      type CreatedSimulation = { simulation: { id: string } };
      const { simulation } = await call<CreatedSimulation>('POST', PATH, { name, ...more });
      const scenarios = new Map<string, string>();
      for (const one of SCENARIOS) {
        const parameters = one === 'Bust' ? { gdpGrowth: -3 } : {};
        const path = `${PATH}/${simulation.id}/scenarios`;
        type Added = { scenario: { id: string } };
        const { scenario } = await call<Added>('POST', path, { name: one, parameters });
        scenarios.set(scenario.id, one);
      }
      return { id: simulation.id, scenarios };
    },
    advance: async (id, limitMs) => {
      const statuses: number[] = [];
      for (const deadline = Date.now() + limitMs; Date.now() < deadline; await pause(AGAIN_MS)) {
        const client = await open();
        const path = `${PATH}/${id}/advance`;
        const { status, text } = await client.send('POST', path, { expectedTurn: 0 });
        statuses.push(status);
        // A turn may be stored without its report, which the next call writes.
        const isLeft = status === 200 && !(JSON.parse(text) as { finalized: boolean }).finalized;
        if (MADE.includes(status) && !isLeft) return statuses;
      }
      return statuses;
    },
    read: async (id) => ({
      ...(await call<Pick<AdvancedSimulation, 'simulation'>>('GET', `${PATH}/${id}`)),
      ...(await call<Pick<AdvancedSimulation, 'report'>>('GET', `${PATH}/${id}/report`)),
      replay: await call<AdvancedSimulation['replay']>('POST', `${PATH}/${id}/replay`),
    }),
    createWebhook: async (url) => {
      const events = ['simulation.tick.completed', 'simulation.report.ready'];
      await call('POST', '/webhooks', { url, events });
    },
  };
};
