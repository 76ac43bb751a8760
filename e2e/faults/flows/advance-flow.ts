import type { Client } from '../client.ts';
import type { Flow } from './flow.ts';

type Simulation = { id: string; currentTurn: number };
type PlayedSimulation = { id: string; answered: number; failed: number };

const LIST = '/sim-engine/simulations';
const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000 };
/** Number of turns after which a new simulation is created. */
const TURNS = 8;

export const openAdvanceFlow = (client: Client): Flow => {
  const played: PlayedSimulation[] = [];
  return {
    name: 'advance',
    call: async () => {
      let current = played.at(-1);
      if (!current || current.answered + current.failed >= TURNS) {
        const draft = { name: 'North', turnUnit: 'quarter', companyBase: COMPANY };
        const { status, text } = await client.send('POST', LIST, draft);
        if (status !== 201) return `${status} ${text}`;
        const { simulation } = JSON.parse(text) as { simulation: Simulation };
        current = { id: simulation.id, answered: 0, failed: 0 };
        played.push(current);
      }
      const error = await client.stream(`${LIST}/${current.id}/advance`, {});
      if (error === '') current.answered += 1;
      else current.failed += 1;
      return error;
    },
    check: async () => {
      const violations: string[] = [];
      for (const one of played) {
        const path = `${LIST}/${one.id}`;
        const { simulation } = await client.read<{ simulation: Simulation }>('GET', path);
        violations.push(...findTurnViolations(one, simulation.currentTurn));
        const replayed = await client.read<{ matches: boolean }>('POST', `${path}/replay`, {});
        if (!replayed.matches) violations.push(`${one.id}: its replay does not match`);
      }
      return violations;
    },
  };
};

/**
 * Checks that the simulation has one turn for each successful call, and at most one for each failed
 * call, which may have made one.
 */
export const findTurnViolations = (
  { id, answered, failed }: PlayedSimulation,
  currentTurn: number,
): string[] =>
  currentTurn >= answered && currentTurn <= answered + failed
    ? []
    : [`${id}: ${currentTurn} turns, of ${answered} answered calls and ${failed} that failed`];
