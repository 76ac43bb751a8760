import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../client.ts';
import type { Client, ClientOf } from '../client.ts';
import { SCENARIO_NAMES, toSimulationName } from './scripted-company.ts';

export type StartedSimulation = {
  id: string;
  /** Names of the scenarios by scenario id. */
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
  createSimulation: (number: number) => Promise<StartedSimulation>;
  /**
   * Retries the first turn until it is made or `limitMs` have passed; returns the status of each
   * attempt, 0 if there was no response.
   */
  advance: (id: string, limitMs: number) => Promise<number[]>;
  read: (id: string) => Promise<AdvancedSimulation>;
  createWebhook: (url: string) => Promise<void>;
};

const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000, cash: 900_000 };
const SEED = 20_261_122;
/** Statuses which show that the turn is made: by this call (200) or by an earlier one (409). */
const TURN_MADE_STATUSES: readonly number[] = [200, 409];
const RETRY_PAUSE_MS = 200;
const PATH = '/sim-engine/simulations';

/** Client timeout; a turn may have to wait until leases of dead processes expire. */
const TIMEOUT_MS = 240_000;

/**
 * Returns a client of the simulation API. It reads the edge's URL again for each call, because the
 * edge may have been restarted on another port.
 */
export const openSimulationApi = (readFile: () => Promise<ClientOf>): SimulationApi => {
  const open = async (): Promise<Client> => openClient(await readFile(), TIMEOUT_MS);
  const call = async <T>(method: string, path: string, body?: object): Promise<T> =>
    (await open()).read<T>(method, path, body);
  return {
    createSimulation: async (number) => {
      const name = toSimulationName(number);
      const settings = { turnUnit: 'year', companyBase: COMPANY, seed: SEED, horizonTurns: 1 };
      type CreatedSimulation = { simulation: { id: string } };
      const { simulation } = await call<CreatedSimulation>('POST', PATH, { name, ...settings });
      const scenarios = new Map<string, string>();
      for (const one of SCENARIO_NAMES) {
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
      for (
        const deadline = Date.now() + limitMs;
        Date.now() < deadline;
        await pause(RETRY_PAUSE_MS)
      ) {
        const client = await open();
        const path = `${PATH}/${id}/advance`;
        const { status, text } = await client.send('POST', path, { expectedTurn: 0 });
        statuses.push(status);
        // The turn may be stored without its report; the next call writes the report.
        const isReportMissing =
          status === 200 && !(JSON.parse(text) as { finalized: boolean }).finalized;
        if (TURN_MADE_STATUSES.includes(status) && !isReportMissing) return statuses;
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
