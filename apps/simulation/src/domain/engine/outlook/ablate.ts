import { LEVER_NAMES } from '../lever/lever.ts';
import type { LeverName } from '../lever/lever.ts';
import { holdLevers } from '../lever/levers-of.ts';
import { playOn } from '../turn/play-on.ts';
import type { TurnInput } from '../turn/play-turn.ts';
import type { EngineState } from '../turn/engine-state.ts';
import { fix } from '../number/fix.ts';

/** One lever decision of one turn, and what came of it. */
export type LeverEffect = {
  readonly turn: number;
  readonly lever: LeverName;
  readonly value: number;
  /** What holding the course would have been. */
  readonly held: number;
  /** With the decision minus without it, in the last state; revenue per year. */
  readonly revenue: number;
  readonly cash: number;
  readonly marketShare: number;
  readonly valuation: number;
  /** Change of the valuation less new equity: money that owners pay in is not value created. */
  readonly worth: number;
  /** True if the company is solvent in the last state and would not be without the decision. */
  readonly isRescue: boolean;
};

/**
 * What if this decision had not been taken: from its turn on all turns anew, with that lever held
 * in that turn and the same luck. Greatest change of worth first.
 */
export const ablate = (start: EngineState, turns: readonly TurnInput[]): LeverEffect[] => {
  const states = [start];
  for (const turn of turns) states.push(playOn(states.at(-1)!, [turn]));
  const last = states.at(-1)!.company;
  const effects: LeverEffect[] = [];
  for (const [place, turn] of turns.entries()) {
    const before = states[place]!;
    const course = holdLevers(before.company);
    for (const lever of LEVER_NAMES) {
      const [value, held] = [turn.levers[lever], course[lever]];
      if (value === held) continue;
      const without = { ...turn, levers: { ...turn.levers, [lever]: held } };
      const other = playOn(before, [without, ...turns.slice(place + 1)]).company;
      effects.push({
        turn: turn.turn,
        lever,
        value,
        held,
        revenue: fix(last.revenue - other.revenue, last.moneyScale),
        cash: fix(last.cash - other.cash, last.moneyScale),
        marketShare: fix(last.marketShare - other.marketShare, 1e9),
        valuation: fix(last.valuation - other.valuation, last.moneyScale),
        worth: fix(worthOf(last) - worthOf(other), last.moneyScale),
        isRescue: other.isInsolvent && !last.isInsolvent,
      });
    }
  }
  return effects.toSorted(byWorth);
};

/** The valuation less all equity paid in. */
const worthOf = ({ valuation, equityPaid }: EngineState['company']): number =>
  valuation - equityPaid;

const byWorth = (a: LeverEffect, b: LeverEffect): number =>
  Math.abs(b.worth) - Math.abs(a.worth) || a.turn - b.turn;
