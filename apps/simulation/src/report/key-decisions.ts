import { ablate } from '../engine/engine.ts';
import type { LeverEffect, LeverName, TurnInput } from '../engine/engine.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { toInput } from '../simulation/step-scenario.ts';
import type { DraftFigure } from './create-format-number.ts';
import { figureOf, isInsolvent } from './scenario-history.ts';
import type { ScenarioHistory } from './scenario-history.ts';

export type KeyDecision = LeverEffect & {
  scenario: string;
  /** Value that the council wanted, if the company could pay for a part of it only. */
  wanted: number | undefined;
};

/**
 * Maximum number of turns, counted from the last one, whose decisions are examined. The cost is
 * quadratic in it.
 */
const TURNS_MAX = 40;
const DECISIONS_MAX = 4;
const EFFECT_SHARE_MIN = 0.001;

/**
 * Returns up to four decisions with the greatest effect; those that prevented or caused insolvency
 * come first. They are spread over turns and scenarios, because otherwise early decisions, whose
 * effects accumulate longest, would fill the list. Of a scenario that ends insolvent only those
 * decisions are returned without which it would not, because nothing is left for owners anyway.
 */
export const findKeyDecisions = (
  simulation: Pick<Simulation, 'seed' | 'turnUnit'>,
  histories: readonly ScenarioHistory[],
): readonly KeyDecision[] => {
  const found = histories.flatMap((history) => findDecisions(simulation, history));
  return spreadOverTime(found.toSorted(byWeight)).toSorted(byWeight);
};

const findDecisions = (
  simulation: Pick<Simulation, 'seed' | 'turnUnit'>,
  { scenario, states }: ScenarioHistory,
): KeyDecision[] => {
  const recent = states.slice(-TURNS_MAX);
  const before = states.at(-TURNS_MAX - 1)?.engineState ?? scenario.opening;
  const turns = recent.map((state): TurnInput => {
    const { parameters } = state;
    const input = toInput(simulation, { id: scenario.id, parameters });
    return { levers: state.decision.levers, turn: state.turn, ...input };
  });
  const last = states.at(-1)!;
  const size = Math.max(figureOf(last, 'valuation'), figureOf(last, 'revenue'));
  return ablate(before, turns).flatMap((effect): KeyDecision[] => {
    const isWeighty = !isInsolvent(last) && Math.abs(effect.worth) >= EFFECT_SHARE_MIN * size;
    const wanted = findWanted(effect, states);
    if ((!isWeighty && effect.solvency === 'none') || isForced(effect, wanted)) return [];
    return [{ ...effect, scenario: scenario.name, wanted }];
  });
};

const findWanted = (
  { turn, lever }: LeverEffect,
  states: ScenarioHistory['states'],
): number | undefined =>
  states
    .find(({ turn: decidedTurn }) => decidedTurn === turn)!
    .decision.clamped.find((clamp) => clamp.lever === lever && clamp.reason === 'cash')?.asked;

/**
 * Returns true if lack of cash moved the lever, and not the council: against what it wanted, or
 * although it wanted no change.
 */
const isForced = ({ value, defaultValue }: LeverEffect, wanted: number | undefined): boolean =>
  wanted !== undefined && (wanted - defaultValue) * (value - defaultValue) <= 0;

const byWeight = (a: KeyDecision, b: KeyDecision): number =>
  Number(b.solvency !== 'none') - Number(a.solvency !== 'none') ||
  Math.abs(b.worth) - Math.abs(a.worth) ||
  a.turn - b.turn;

const spreadOverTime = (ranked: readonly KeyDecision[]): readonly KeyDecision[] => {
  const chosen: KeyDecision[] = [];
  const turns = ranked.map(({ turn }) => turn);
  const [first, last] = [Math.min(...turns), Math.max(...turns)];
  const span = (last - first + 1) / DECISIONS_MAX;
  for (let part = 0; part < DECISIONS_MAX; part += 1) {
    const isInPart = ({ turn }: KeyDecision): boolean =>
      turn >= first + part * span && turn < first + (part + 1) * span;
    const next = pick(ranked.filter(isInPart), chosen);
    if (next) chosen.push(next);
  }
  while (chosen.length < DECISIONS_MAX) {
    const next = pick(ranked, chosen);
    if (!next) break;
    chosen.push(next);
  }
  return chosen;
};

/**
 * Returns the decision with the greatest effect from the scenario with the fewest chosen ones.
 * Skips decisions that were already chosen, also if another scenario made them.
 */
const pick = (
  ranked: readonly KeyDecision[],
  chosen: readonly KeyDecision[],
): KeyDecision | undefined => {
  const countPicked = ({ scenario }: KeyDecision): number =>
    chosen.filter((a) => a.scenario === scenario).length;
  return ranked
    .filter((a) => !chosen.some((b) => isSameMove(a, b)))
    .toSorted((a, b) => countPicked(a) - countPicked(b))[0];
};

const isSameMove = (a: KeyDecision, b: KeyDecision): boolean =>
  a.turn === b.turn && a.lever === b.lever && a.value === b.value;

export const toDecisionFigures = (keyDecision: KeyDecision): readonly DraftFigure[] => {
  const { scenario, turn, lever, value, defaultValue, wanted, ...effect } = keyDecision;
  const decision = `${LEVER_LABELS[lever]} in turn ${turn}`;
  const unit = MONEY_LEVERS.has(lever) ? 'money' : 'percent';
  const isChange = SIGNED_LEVERS.has(lever);
  const heldLabel = `${decision}, had the course been held`;
  const toAddedFigure = (label: string, amount: number): DraftFigure => ({
    ...{ scenario, label: `what ${decision} added to ${label}`, value: amount },
    ...{ unit: 'money', isChange: true },
  });
  return [
    ...(lever === 'newMarketEntry'
      ? []
      : [{ scenario, label: `${decision}, as decided`, value, unit, isChange } as const]),
    ...(wanted === undefined || lever === 'newMarketEntry'
      ? []
      : [{ scenario, label: `${decision}, as wanted`, value: wanted, unit, isChange } as const]),
    ...(defaultValue === 0
      ? []
      : [{ scenario, label: heldLabel, value: defaultValue, unit } as const]),
    ...(effect.solvency === 'none'
      ? [
          toAddedFigure('the valuation less new equity', effect.worth),
          toAddedFigure('revenue per year', effect.revenue),
          toAddedFigure('cash', effect.cash),
        ]
      : []),
  ];
};

const SIGNED_LEVERS: ReadonlySet<LeverName> = new Set([
  'priceChange',
  'headcountChange',
  'debtChange',
]);
const MONEY_LEVERS: ReadonlySet<LeverName> = new Set(['raiseEquity', 'debtChange']);

const LEVER_LABELS: Readonly<Record<LeverName, string>> = {
  priceChange: 'the change of the price',
  marketingPct: 'marketing (of revenue)',
  rdPct: 'research and development (of revenue)',
  headcountChange: 'the change of the staff',
  capexPct: 'investment (of revenue)',
  raiseEquity: 'new equity',
  debtChange: 'the change of debt',
  newMarketEntry: 'entering a further market',
  costProgram: 'the cut of the overhead',
};
