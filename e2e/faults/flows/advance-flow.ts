import type { Client } from '../client.ts';
import type { Flow } from './flow.ts';

type Simulation = { id: string; currentTurn: number };
type SimulationCalls = { id: string; succeeded: number; failed: number };

const SIMULATIONS_PATH = '/sim-engine/simulations';
const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000 };
/** Number of calls after which a new simulation is created. */
const CALLS_PER_SIMULATION = 8;

export const openAdvanceFlow = (client: Client): Flow => {
  const simulations: SimulationCalls[] = [];
  return {
    name: 'advance',
    call: async () => {
      let current = simulations.at(-1);
      if (!current || current.succeeded + current.failed >= CALLS_PER_SIMULATION) {
        const draft = { name: 'North', turnUnit: 'quarter', companyBase: COMPANY };
        const { status, text } = await client.send('POST', SIMULATIONS_PATH, draft);
        if (status !== 201) return `${status} ${text}`;
        const { simulation } = JSON.parse(text) as { simulation: Simulation };
        current = { id: simulation.id, succeeded: 0, failed: 0 };
        simulations.push(current);
      }
      const error = await client.stream(`${SIMULATIONS_PATH}/${current.id}/advance`, {});
      if (error === '') current.succeeded += 1;
      else current.failed += 1;
      return error;
    },
    check: async () => {
      const violations: string[] = [];
      for (const one of simulations) {
        const path = `${SIMULATIONS_PATH}/${one.id}`;
        const { simulation } = await client.read<{ simulation: Simulation }>('GET', path);
        violations.push(...findTurnViolations(one, simulation.currentTurn));
        const replayed = await client.read<{ matches: boolean }>('POST', `${path}/replay`, {});
        if (!replayed.matches) violations.push(`${one.id}: the replay does not match`);
      }
      return violations;
    },
  };
};

/**
 * Returns a violation unless the simulation has one turn for each successful call and at most one
 * for each failed call, which may have made a turn.
 */
export const findTurnViolations = (
  { id, succeeded, failed }: SimulationCalls,
  currentTurn: number,
): string[] =>
  currentTurn >= succeeded && currentTurn <= succeeded + failed
    ? []
    : [`${id}: ${currentTurn} turns after ${succeeded} successful and ${failed} failed calls`];
