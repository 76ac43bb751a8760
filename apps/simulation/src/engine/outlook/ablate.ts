import { ownersValueOf } from '../company/company-state.ts';
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
   * `rescue`: the company is solvent in the last state, and would not be without the decision.
   * `ruin`: it is insolvent, and would be solvent. `none`: the decision does not affect solvency.
   */
  readonly solvency: 'rescue' | 'ruin' | 'none';
};

/**
 * Returns how each decision changed the last state, greatest change of worth first. The comparison
 * is a replay from that turn on, with the same random numbers but with the lever at its default
 * value. Omits decisions without which the company could not pay in a turn in which it did pay,
 * unless the replay ends insolvent: its result would have been reached without money.
 */
export const ablate = (start: EngineState, turns: readonly TurnInput[]): LeverEffect[] => {
  const states = [start, ...playAll(start, turns)];
  const last = states.at(-1)!.company;
  const effects: LeverEffect[] = [];
  for (const [index, turn] of turns.entries()) {
    const before = states[index]!;
    const defaults = defaultLevers(before.company);
    for (const lever of LEVER_NAMES) {
      const [value, defaultValue] = [turn.levers[lever], defaults[lever]];
      if (value === defaultValue) continue;
      const withoutDecision = { ...turn, levers: { ...turn.levers, [lever]: defaultValue } };
      const others = playAll(before, [withoutDecision, ...turns.slice(index + 1)]);
      const otherLast = others.at(-1)!.company;
      const isUnpaid = others.some(
        ({ company }, turnIndex) =>
          company.isInsolvent && !states[index + 1 + turnIndex]!.company.isInsolvent,
      );
      if (isUnpaid && !otherLast.isInsolvent) continue;
      effects.push({
        turn: turn.turn,
        lever,
        value,
        defaultValue,
        revenue: roundToScale(last.revenue - otherLast.revenue, last.moneyScale),
        cash: roundToScale(last.cash - otherLast.cash, last.moneyScale),
        marketShare: roundToScale(last.marketShare - otherLast.marketShare, 1e9),
        valuation: roundToScale(ownersValueOf(last) - ownersValueOf(otherLast), last.moneyScale),
        worth: roundToScale(computeWorth(last) - computeWorth(otherLast), last.moneyScale),
        solvency:
          otherLast.isInsolvent === last.isInsolvent
            ? 'none'
            : last.isInsolvent
              ? 'ruin'
              : 'rescue',
      });
    }
  }
  return effects.toSorted(byWorth);
};

/** Returns the state after each turn. */
const playAll = (start: EngineState, turns: readonly TurnInput[]): EngineState[] => {
  const states: EngineState[] = [];
  for (const turn of turns) states.push(playTurns(states.at(-1) ?? start, [turn]));
  return states;
};

const computeWorth = (company: EngineState['company']): number =>
  ownersValueOf(company) - company.equityPaid;

const byWorth = (a: LeverEffect, b: LeverEffect): number =>
  Math.abs(b.worth) - Math.abs(a.worth) || a.turn - b.turn;
