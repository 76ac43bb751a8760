import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import { SCENARIOS, toName } from './played-company.ts';

/** A simulation that is about to be advanced. */
export type Begun = {
  id: string;
  /** Names by id. */
  scenarios: ReadonlyMap<string, string>;
};

/** All that a client can see of a simulation that is over. */
export type Seen = {
  simulation: {
    states: { proofs: string[]; decisions: { absentAgents: string[]; fallback: boolean } }[];
  };
  report: { proofs: string[] };
  replay: { matches: boolean };
};

/** Simulations through the public API, as a client uses it. */
export type SimulationApi = {
  begin: (number: number) => Promise<Begun>;
  /** Asks for the first turn until it is made; answers every status, 0 where nobody answered. */
  advance: (id: string, limitMs: number) => Promise<number[]>;
  read: (id: string) => Promise<Seen>;
  createWebhook: (url: string) => Promise<void>;
};

const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000, cash: 900_000 };
const SEED = 20_261_122;
/** A turn is made, and is the last. */
const MADE: readonly number[] = [200, 409];
const AGAIN_MS = 200;
const PATH = '/sim-engine/simulations';

/** For the workspace of the key. */
export const openSimulationApi = (
  readFile: () => Promise<Pick<SystemFile, 'baseUrl' | 'apiKey'>>,
): SimulationApi => {
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    const { baseUrl, apiKey } = await readFile();
    return fetch(`${baseUrl}/v1${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  };
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await send(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /v1${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    begin: async (number) => {
      const name = toName(number);
      const more = { turnUnit: 'year', companyBase: COMPANY, seed: SEED, horizonTurns: 1 };
      type Made = { simulation: { id: string } };
      const { simulation } = await call<Made>('POST', PATH, { name, ...more });
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
        try {
          const answer = await send('POST', `${PATH}/${id}/advance`, { expectedTurn: 0 });
          const { finalized } = (await answer.json()) as { finalized?: boolean };
          statuses.push(answer.status);
          // The turn stands, and its report is for later: the next call writes it.
          if (answer.status === 200 && !finalized) continue;
        } catch {
          // The way to it broke.
          statuses.push(0);
        }
        if (MADE.includes(statuses.at(-1)!)) return statuses;
      }
      return statuses;
    },
    read: async (id) => ({
      ...(await call<Pick<Seen, 'simulation'>>('GET', `${PATH}/${id}`)),
      ...(await call<Pick<Seen, 'report'>>('GET', `${PATH}/${id}/report`)),
      replay: await call<Seen['replay']>('POST', `${PATH}/${id}/replay`),
    }),
    createWebhook: async (url) => {
      const events = ['simulation.tick.completed', 'simulation.report.ready'];
      await call('POST', '/webhooks', { url, events });
    },
  };
};
