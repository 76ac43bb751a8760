import { EVENT_LIST } from './event-catalogue.ts';
import { RECESSION_VARIANCE, REGIMES } from './regime.ts';
import type { Regime, RegimeName } from './regime.ts';
import type { Figure, FigureName, WorldParameters } from './world-parameters.ts';

export type Override = {
  readonly mode: 'set' | 'add' | 'scale';
  readonly value: number;
  readonly min: number;
  readonly max: number;
};

/**
 * The regime of a scenario, its hazards per quarter, and the overrides of figures that its
 * parameters set for one turn.
 */
export type Climate = {
  readonly regime: Regime;
  /** Standard deviation of the quarterly growth shocks other than recessions. */
  readonly growthSd: number;
  readonly hazards: readonly number[];
} & Readonly<Record<FigureName, Override | undefined>>;

/** Lists every figure for speed, as `copyCompany` explains. */
export const toClimate = (
  { regime, figures, hazards }: WorldParameters,
  turn: number,
): Climate => ({
  gdpGrowth: toOverride(figures.gdpGrowth, turn),
  inflationRate: toOverride(figures.inflationRate, turn),
  interestRate: toOverride(figures.interestRate, turn),
  sectorGrowth: toOverride(figures.sectorGrowth, turn),
  unemployment: toOverride(figures.unemployment, turn),
  wageGrowth: toOverride(figures.wageGrowth, turn),
  priceElasticity: toOverride(figures.priceElasticity, turn),
  competitorIntensity: toOverride(figures.competitorIntensity, turn),
  taxRate: toOverride(figures.taxRate, turn),
  regime: REGIMES[regime],
  growthSd: GROWTH_SD[regime],
  hazards: hazards.some((hazard) => hazard !== null)
    ? USUAL_HAZARDS.map((hazard, index) => override(hazard, toOverride(hazards[index], turn)))
    : USUAL_HAZARDS,
});

const USUAL_HAZARDS: readonly number[] = EVENT_LIST.map(({ hazard }) => hazard);

const GROWTH_SD = {
  long: Math.sqrt(REGIMES.long.growth.sd ** 2 - RECESSION_VARIANCE),
  moderation: Math.sqrt(REGIMES.moderation.growth.sd ** 2 - RECESSION_VARIANCE),
} as const satisfies Record<RegimeName, number>;

const toOverride = (figure: Figure | null | undefined, turn: number): Override | undefined => {
  if (!figure || turn < figure.fromTurn || turn > figure.toTurn) return undefined;
  const { mode, min, max, values } = figure;
  return { mode, min, max, value: values[values.length > 1 ? turn - figure.fromTurn : 0]! };
};

export const override = (figure: number, change: Override | undefined): number => {
  if (change === undefined) return figure;
  const { mode, value, min, max } = change;
  const changed = mode === 'set' ? value : mode === 'add' ? figure + value : figure * value;
  return changed < min ? min : changed > max ? max : changed;
};
