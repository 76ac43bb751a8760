import { EVENT_LIST } from './event-catalogue.ts';
import { RECESSION_VARIANCE, REGIMES } from './regime.ts';
import type { Regime } from './regime.ts';
import type { WorldParameters } from './world-parameters.ts';

export type Override = {
  readonly mode: 'set' | 'add' | 'scale';
  readonly value: number;
  readonly min: number;
  readonly max: number;
};

/** The figures of the world that a scenario's parameters determine for one turn. */
export type Climate = {
  readonly regime: Regime;
  /** Standard deviation of the quarterly growth shocks other than recessions. */
  readonly growthSd: number;
  readonly gdpGrowth: Override | undefined;
  readonly inflationRate: Override | undefined;
  readonly interestRate: Override | undefined;
  readonly sectorGrowth: Override | undefined;
  readonly unemployment: Override | undefined;
  readonly wageGrowth: Override | undefined;
  readonly priceElasticity: Override | undefined;
  readonly competitorIntensity: Override | undefined;
  readonly taxRate: Override | undefined;
  readonly hazards: readonly number[];
};

export const toClimate = ({ regime, figures, hazards }: WorldParameters, turn: number): Climate => {
  const figureOf = (name: keyof WorldParameters['figures']): Override | undefined => {
    const figure = figures[name];
    if (figure === undefined || turn < figure.fromTurn || turn > figure.toTurn) return undefined;
    const { mode, min, max, values } = figure;
    return { mode, min, max, value: values[values.length > 1 ? turn - figure.fromTurn : 0]! };
  };
  return {
    regime: REGIMES[regime],
    growthSd: Math.sqrt(REGIMES[regime].growth.sd ** 2 - RECESSION_VARIANCE),
    gdpGrowth: figureOf('gdpGrowth'),
    inflationRate: figureOf('inflationRate'),
    interestRate: figureOf('interestRate'),
    sectorGrowth: figureOf('sectorGrowth'),
    unemployment: figureOf('unemployment'),
    wageGrowth: figureOf('wageGrowth'),
    priceElasticity: figureOf('priceElasticity'),
    competitorIntensity: figureOf('competitorIntensity'),
    taxRate: figureOf('taxRate'),
    hazards: EVENT_LIST.map(({ hazard }, index) => {
      const figure = hazards[index];
      if (!figure || turn < figure.fromTurn || turn > figure.toTurn) return hazard;
      const { mode, min, max, values } = figure;
      const value = values[values.length > 1 ? turn - figure.fromTurn : 0]!;
      return override(hazard, { mode, value, min, max });
    }),
  };
};

export const override = (figure: number, change: Override | undefined): number => {
  if (change === undefined) return figure;
  const { mode, value, min, max } = change;
  const changed = mode === 'set' ? value : mode === 'add' ? figure + value : figure * value;
  return changed < min ? min : changed > max ? max : changed;
};
