import type { TurnUnit } from '../turn/play-turn.ts';
import { quartersOf } from '../turn/play-turn.ts';
import type { EngineState } from '../turn/engine-state.ts';
import { roundToScale } from '../number/fix.ts';
import { limitToCash } from './limit-to-cash.ts';
import { LEVER_NAMES } from './lever.ts';
import type { LeverName, Levers } from './lever.ts';
import { clampLevers, defaultLevers } from './describe-levers.ts';

/** Levers that one agent proposes. Unknown names and values that are not numbers are ignored. */
export type Proposal = {
  readonly agentId: string;
  readonly levers: Readonly<Record<string, number>>;
  readonly confidence: number;
};

export type Clamp = {
  readonly lever: LeverName;
  readonly asked: number;
  readonly taken: number;
  readonly reason: 'bounds' | 'cash';
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
 * Returns for each lever the confidence-weighted median of the proposals, limited to the bounds of
 * the state and to what the company can pay in a turn without shocks. A lever without proposals
 * keeps its default value.
 */
export const decide = (
  proposals: readonly Proposal[],
  state: EngineState,
  turnUnit: TurnUnit = 'quarter',
): Decision => {
  const defaults = defaultLevers(state.company);
  const medians = { ...defaults };
  let leversDecided = 0;
  for (const name of LEVER_NAMES) {
    const votes = proposals.filter(({ levers }) => Number.isFinite(levers[name]));
    if (votes.length === 0) continue;
    leversDecided += 1;
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
    ...findClamps(medians, boundedLevers, 'bounds'),
    ...findClamps(boundedLevers, levers, 'cash'),
  ];
  return { levers, clamped, isFallback: false };
};

const clampConfidence = (confidence: number): number =>
  Number.isFinite(confidence) ? Math.max(0, Math.min(1, confidence)) : DEFAULT_CONFIDENCE;

const findClamps = (before: Levers, after: Levers, reason: Clamp['reason']): Clamp[] =>
  LEVER_NAMES.filter((lever) => Math.abs(before[lever] - after[lever]) > 1 / LEVER_SCALE).map(
    (lever) => ({ lever, asked: before[lever], taken: after[lever], reason }),
  );

export type Weighted = { readonly value: number; readonly weight: number };

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
