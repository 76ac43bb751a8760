import { stepQuarter } from '../turn/step-quarter.ts';
import { openDraftTurn, resetDraftTurn } from '../turn/draft-turn.ts';
import type { EngineState } from '../turn/engine-state.ts';
import { roundToScale } from '../number/fix.ts';
import { toClimate } from '../world/climate.ts';
import { readParameters } from '../world/world-parameters.ts';
import type { Levers } from './lever.ts';

const BISECTION_STEPS = 10;
const LEVER_SCALE = 1e4;

/**
 * Returns the levers with discretionary spending scaled down until the company can pay for
 * `quarters` quarters without shocks from its cash and credit line. If the other costs alone are
 * too high, it still becomes insolvent.
 */
export const limitToCash = (levers: Levers, state: EngineState, quarters: number): Levers => {
  const draft = openDraftTurn(state, toClimate(readParameters({}).parameters, 1));
  const canPay = (candidate: Levers): boolean => {
    resetDraftTurn(draft, state);
    for (let quarter = 0; quarter < quarters; quarter += 1) {
      stepQuarter(draft, candidate, undefined);
      if (draft.company.isInsolvent) return false;
    }
    return true;
  };
  if (canPay(levers)) return levers;
  let [paid, unpaid] = [0, 1];
  for (let step = 0; step < BISECTION_STEPS; step += 1) {
    const middle = (paid + unpaid) / 2;
    if (canPay(scale(levers, middle))) paid = middle;
    else unpaid = middle;
  }
  return scale(levers, paid);
};

const scale = (levers: Levers, factor: number): Levers => ({
  ...levers,
  marketingPct: roundToScale(levers.marketingPct * factor, LEVER_SCALE),
  rdPct: roundToScale(levers.rdPct * factor, LEVER_SCALE),
  capexPct: roundToScale(levers.capexPct * factor, LEVER_SCALE),
  headcountChange: scaleGrowth(levers.headcountChange, factor),
  debtChange:
    levers.debtChange < 0
      ? roundToScale(levers.debtChange * factor, LEVER_SCALE)
      : levers.debtChange,
  newMarketEntry: factor < 1 ? 0 : levers.newMarketEntry,
});

const scaleGrowth = (change: number, factor: number): number =>
  change > 0 ? roundToScale(change * factor, LEVER_SCALE) : change;
