import { quartersOf } from '../turn/play-turn.ts';
import type { TurnUnit } from '../turn/play-turn.ts';
import type { EngineState } from '../turn/engine-state.ts';
import { roundToScale } from '../number/exact-math.ts';
import { LEVER_NAMES, clampLevers, defaultLevers, describeLevers } from './lever.ts';
import type { LeverBounds, LeverName, Levers } from './lever.ts';
import { stepQuarter } from '../turn/step-quarter.ts';
import { openDraftTurn, resetDraftTurn } from '../turn/draft-turn.ts';
import { toClimate } from '../world/climate.ts';
import { readParameters } from '../world/world-parameters.ts';

/** Levers that one agent proposes. Unknown names and values that are not finite are ignored. */
export type Proposal = {
  readonly agentId: string;
  readonly levers: Readonly<Record<string, number>>;
  readonly confidence: number;
};

/**
 * `bounds` and `cash`: the median was limited. `unlikely`: a proposal was not counted, because it
 * is more than ten times off the present percentage, or because all its levers are at zero or at
 * the same end of their range.
 */
type Clamp = {
  readonly lever: LeverName;
  readonly asked: number;
  readonly taken: number;
  readonly reason: 'bounds' | 'cash' | 'unlikely';
};

export type Decision = {
  readonly levers: Levers;
  readonly clamped: readonly Clamp[];
  /** True if no proposal had a valid lever, so that all levers have their default values. */
  readonly isFallback: boolean;
};

/**
 * The weight of a proposal is WEIGHT_MIN + WEIGHT_CONFIDENCE × confidence, so from 0.6 to 1. One of
 * three agents therefore never outweighs the other two.
 */
const [WEIGHT_MIN, WEIGHT_CONFIDENCE] = [0.6, 0.4] as const;
const DEFAULT_CONFIDENCE = 0.5;
const LEVER_SCALE = 1e4;

/**
 * Returns for each lever the confidence-weighted median of the proposals, or its default value if
 * there is none. Unlikely values are not counted. The values are limited to the bounds of the state
 * and to what the company can pay in a turn without shocks, unless no lever has a proposal.
 */
export const decide = (
  proposals: readonly Proposal[],
  state: EngineState,
  turnUnit: TurnUnit = 'quarter',
): Decision => {
  const defaults = defaultLevers(state.company);
  const medians = { ...defaults };
  const unlikely: { lever: LeverName; asked: number }[] = [];
  let leversDecided = 0;
  const bounds = describeLevers(state);
  const isUnlikely = ({ levers }: Proposal, name: LeverName): boolean =>
    isTenfold(name, levers[name]!, defaults[name]) ||
    (levers[name] !== defaults[name] && isFilledIn(levers, bounds));
  for (const name of LEVER_NAMES) {
    const valid = proposals.filter(({ levers }) => Number.isFinite(levers[name]));
    if (valid.length === 0) continue;
    leversDecided += 1;
    const votes = valid.filter((proposal) => !isUnlikely(proposal, name));
    for (const proposal of valid)
      if (isUnlikely(proposal, name)) unlikely.push({ lever: name, asked: proposal.levers[name]! });
    if (votes.length === 0) continue;
    medians[name] = weightedMedian(
      votes.map(({ levers, confidence }) => ({
        value: levers[name]!,
        weight: WEIGHT_MIN + WEIGHT_CONFIDENCE * clampConfidence(confidence),
      })),
    );
  }
  if (leversDecided === 0) return { levers: defaults, clamped: [], isFallback: true };
  const boundedLevers = { ...medians };
  clampLevers(boundedLevers, medians, state.company);
  for (const name of LEVER_NAMES)
    boundedLevers[name] = roundToScale(boundedLevers[name], LEVER_SCALE);
  const levers = limitToCash(boundedLevers, state, quartersOf(turnUnit));
  const clamped = [
    ...unlikely.map((vote) => ({
      ...vote,
      taken: levers[vote.lever],
      reason: 'unlikely' as const,
    })),
    ...findClamps(medians, boundedLevers, 'bounds'),
    ...findClamps(boundedLevers, levers, 'cash'),
  ];
  return { levers, clamped, isFallback: false };
};

const SPENDING: ReadonlySet<LeverName> = new Set(['marketingPct', 'rdPct', 'capexPct']);
const UNLIKELY_FACTOR = 10;
/**
 * Percentage from which on a tenfold rise is unlikely. Below it, it can be a beginning; that of
 * investment can be a single large plant.
 */
const TENFOLD_RISE_FROM = 1;

/**
 * Returns true if a spending percentage is more than ten times off the present one: 0.2 where it is
 * 10 is probably a fraction that means 20 %. Zero is not unlikely, because it ends the spending.
 */
const isTenfold = (name: LeverName, value: number, present: number): boolean =>
  SPENDING.has(name) &&
  value > 0 &&
  (value * UNLIKELY_FACTOR < present ||
    (name !== 'capexPct' && present >= TENFOLD_RISE_FROM && value > present * UNLIKELY_FACTOR));

/**
 * Returns true for a form that was filled in and not decided: all levers are zero, or all are at
 * the lower or all at the upper end of their range, which weak models copy.
 */
const isFilledIn = (levers: Proposal['levers'], bounds: readonly LeverBounds[]): boolean => {
  const ends = [() => 0, ({ min }: LeverBounds) => min, ({ max }: LeverBounds) => max];
  return ends.some((valueOf) => bounds.every((lever) => levers[lever.name] === valueOf(lever)));
};

const clampConfidence = (confidence: number): number =>
  Number.isFinite(confidence) ? Math.max(0, Math.min(1, confidence)) : DEFAULT_CONFIDENCE;

const findClamps = (before: Levers, after: Levers, reason: Clamp['reason']): Clamp[] =>
  LEVER_NAMES.filter((lever) => Math.abs(before[lever] - after[lever]) > 1 / LEVER_SCALE).map(
    (lever) => ({ lever, asked: before[lever], taken: after[lever], reason }),
  );

type Weighted = { readonly value: number; readonly weight: number };

/**
 * Returns the value that splits the total weight in half, or the mean of two such values. `items`
 * must not be empty; their order does not matter.
 */
export const weightedMedian = (items: readonly Weighted[]): number => {
  const sorted = items.toSorted((a, b) => a.value - b.value || a.weight - b.weight);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let below = 0;
  for (const [index, { value, weight }] of sorted.entries()) {
    below += weight;
    const next = sorted[index + 1];
    if (Math.abs(below - half) <= half * 1e-12 && next) return (value + next.value) / 2;
    if (below > half) return value;
  }
  return sorted.at(-1)!.value;
};

const BISECTION_STEPS = 10;

/**
 * Returns the levers with discretionary spending scaled down, and without a market entry, if the
 * company could not pay for `quarters` quarters without shocks from its cash and credit line. If
 * its other costs alone are too high, it becomes insolvent nevertheless.
 */
const limitToCash = (levers: Levers, state: EngineState, quarters: number): Levers => {
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
  let [affordable, unaffordable] = [0, 1];
  for (let step = 0; step < BISECTION_STEPS; step += 1) {
    const middle = (affordable + unaffordable) / 2;
    if (canPay(scaleSpending(levers, middle))) affordable = middle;
    else unaffordable = middle;
  }
  return scaleSpending(levers, affordable);
};

const scaleSpending = (levers: Levers, factor: number): Levers => ({
  ...levers,
  marketingPct: roundToScale(levers.marketingPct * factor, LEVER_SCALE),
  rdPct: roundToScale(levers.rdPct * factor, LEVER_SCALE),
  capexPct: roundToScale(levers.capexPct * factor, LEVER_SCALE),
  headcountChange:
    levers.headcountChange > 0
      ? roundToScale(levers.headcountChange * factor, LEVER_SCALE)
      : levers.headcountChange,
  debtChange:
    levers.debtChange < 0
      ? roundToScale(levers.debtChange * factor, LEVER_SCALE)
      : levers.debtChange,
  newMarketEntry: factor < 1 ? 0 : levers.newMarketEntry,
});
