import type { Simulation } from './simulations-query.ts';

const LETTERS = { quarter: 'Q', year: 'Y' } as const;

/** Returns a function that names a turn, such as "Q3"; turn 0 is the start. */
export const createFormatTurn =
  (unit: Simulation['turnUnit']) =>
  (turn: number): string =>
    turn === 0 ? 'Start' : `${LETTERS[unit]}${turn}`;
