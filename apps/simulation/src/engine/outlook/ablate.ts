import { LEVER_NAMES, defaultLevers } from '../lever/lever.ts';
import type { LeverName } from '../lever/lever.ts';
import { playTurns } from '../turn/play-turn.ts';
import type { TurnInput } from '../turn/play-turn.ts';
import type { EngineState } from '../turn/engine-state.ts';
import { roundToScale } from '../number/exact-math.ts';

export type LeverEffect = {
  readonly turn: number;
  readonly lever: LeverName;
  readonly value: number;
  /** Value that the lever would have had in that turn without a decision. */
  readonly defaultValue: number;
  readonly revenue: number;
  readonly cash: number;
  readonly marketShare: number;
  readonly valuation: number;
  /**
   * Change of the valuation less new equity. New equity is subtracted because money that owners pay
   * in is not created value.
   */
  readonly worth: number;
  /**
   * True if the company is solvent in the last state, and would be insolvent without the decision.
   */
  readonly isRescue: boolean;
};

/**
 * Returns how each decision changed the last state, greatest change of worth first. The comparison
 * is a replay from that turn on, with the same random numbers but with the lever at its default
 * value.
 */
export const ablate = (start: EngineState, turns: readonly TurnInput[]): LeverEffect[] => {
  const states = [start];
  for (const turn of turns) states.push(playTurns(states.at(-1)!, [turn]));
  const last = states.at(-1)!.company;
  const effects: LeverEffect[] = [];
  for (const [index, turn] of turns.entries()) {
    const before = states[index]!;
    const defaults = defaultLevers(before.company);
    for (const lever of LEVER_NAMES) {
      const [value, defaultValue] = [turn.levers[lever], defaults[lever]];
      if (value === defaultValue) continue;
      const withoutDecision = { ...turn, levers: { ...turn.levers, [lever]: defaultValue } };
      const otherLast = playTurns(before, [withoutDecision, ...turns.slice(index + 1)]).company;
      effects.push({
        turn: turn.turn,
        lever,
        value,
        defaultValue,
        revenue: roundToScale(last.revenue - otherLast.revenue, last.moneyScale),
        cash: roundToScale(last.cash - otherLast.cash, last.moneyScale),
        marketShare: roundToScale(last.marketShare - otherLast.marketShare, 1e9),
        valuation: roundToScale(last.valuation - otherLast.valuation, last.moneyScale),
        worth: roundToScale(computeWorth(last) - computeWorth(otherLast), last.moneyScale),
        isRescue: otherLast.isInsolvent && !last.isInsolvent,
      });
    }
  }
  return effects.toSorted(byWorth);
};

const computeWorth = ({ valuation, equityPaid }: EngineState['company']): number =>
  valuation - equityPaid;

const byWorth = (a: LeverEffect, b: LeverEffect): number =>
  Math.abs(b.worth) - Math.abs(a.worth) || a.turn - b.turn;
