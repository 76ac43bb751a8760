import { setTimeout as pause } from 'node:timers/promises';
import type { ReplayBench } from '../open-replay-bench.ts';
import { toSimulationName } from './company-script.ts';

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

const PATH = '/sim-engine/simulations';
const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000, cash: 900_000 };
const SETTINGS = { turnUnit: 'year', companyBase: COMPANY, seed: 20_261_122, horizonTurns: 1 };
/** Parameters by scenario, in the order in which the panels decide. */
const SCENARIOS = { Calm: {}, Bust: { gdpGrowth: -3 } };
/** Statuses which show that the turn is made: by this call (200) or by an earlier one (409). */
export const TURN_MADE_STATUSES: readonly number[] = [200, 409];
const RETRY_PAUSE_MS = 200;
/** Time limit of the client's retries; exceeds several leases and slow restarts of processes. */
const RETRY_LIMIT_MS = 240_000;

export const createSimulation = async (
  bench: ReplayBench,
  number: number,
): Promise<StartedSimulation> => {
  const client = await bench.openClient();
  const draft = { name: toSimulationName(number), ...SETTINGS };
  type Created = { simulation: { id: string } };
  const { simulation } = await client.read<Created>('POST', PATH, draft);
  const scenarios = new Map<string, string>();
  for (const [name, parameters] of Object.entries(SCENARIOS)) {
    const path = `${PATH}/${simulation.id}/scenarios`;
    type Added = { scenario: { id: string } };
    const { scenario } = await client.read<Added>('POST', path, { name, parameters });
    scenarios.set(scenario.id, name);
  }
  return { id: simulation.id, scenarios };
};

/**
 * Retries the first turn, as the documentation says, until it is made or the time limit has passed;
 * returns the status of each attempt, 0 if there was no response.
 */
export const advanceUntilMade = async (bench: ReplayBench, id: string): Promise<number[]> => {
  const statuses: number[] = [];
  for (const deadline = Date.now() + RETRY_LIMIT_MS; Date.now() < deadline;) {
    const client = await bench.openClient();
    const body = { expectedTurn: 0 };
    const { status, text } = await client.send('POST', `${PATH}/${id}/advance`, body);
    statuses.push(status);
    // The turn may be stored without its report; the next call writes the report.
    const isReportMissing =
      status === 200 && !(JSON.parse(text) as { finalized: boolean }).finalized;
    if (TURN_MADE_STATUSES.includes(status) && !isReportMissing) break;
    await pause(RETRY_PAUSE_MS);
  }
  return statuses;
};

export const readSimulation = async (
  bench: ReplayBench,
  id: string,
): Promise<AdvancedSimulation> => {
  const client = await bench.openClient();
  const read = <T>(method: string, path: string): Promise<T> =>
    client.read<T>(method, `${PATH}/${id}${path}`);
  return {
    ...(await read<Pick<AdvancedSimulation, 'simulation'>>('GET', '')),
    ...(await read<Pick<AdvancedSimulation, 'report'>>('GET', '/report')),
    replay: await read<AdvancedSimulation['replay']>('POST', '/replay'),
  };
};
