import { ablate } from '../engine/engine.ts';
import type { LeverEffect, LeverName, TurnInput } from '../engine/engine.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { toInput } from '../simulation/step-scenario.ts';
import type { DraftFigure } from './create-format-number.ts';
import { figureOf } from './scenario-history.ts';
import type { ScenarioHistory } from './scenario-history.ts';

export type KeyDecision = LeverEffect & {
  scenario: string;
  /** True if the value was reduced because the company could not pay for it. */
  isForced: boolean;
};

/**
 * Maximum number of turns, counted from the last one, whose decisions are examined. The cost is
 * quadratic in it.
 */
const TURNS_MAX = 40;
const DECISIONS_MAX = 4;
const EFFECT_SHARE_MIN = 0.001;

/**
 * Returns up to four decisions with the greatest effect; those that prevented insolvency come
 * first. They are spread over turns and scenarios, because otherwise early decisions, whose effects
 * accumulate longest, would fill the list.
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
  return ablate(before, turns)
    .filter(({ worth, isRescue }) => isRescue || Math.abs(worth) >= EFFECT_SHARE_MIN * size)
    .map((effect) => ({
      ...effect,
      scenario: scenario.name,
      isForced: isForced(effect, states),
    }));
};

const isForced = ({ turn, lever }: LeverEffect, states: ScenarioHistory['states']): boolean =>
  states.some(
    ({ turn: decidedTurn, decision }) =>
      decidedTurn === turn &&
      decision.clamped.some((clamp) => clamp.lever === lever && clamp.reason === 'cash'),
  );

const byWeight = (a: KeyDecision, b: KeyDecision): number =>
  Number(b.isRescue) - Number(a.isRescue) ||
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
  const { scenario, turn, lever, value, defaultValue, worth, revenue, cash } = keyDecision;
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
    ...(defaultValue === 0
      ? []
      : [{ scenario, label: heldLabel, value: defaultValue, unit } as const]),
    toAddedFigure('the valuation less new equity', worth),
    toAddedFigure('revenue per year', revenue),
    toAddedFigure('cash', cash),
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
