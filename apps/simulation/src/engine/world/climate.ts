import { EVENT_LIST } from './event-catalogue.ts';
import { RECESSION_VARIANCE, REGIMES } from './regime.ts';
import type { Regime } from './regime.ts';
import { FIGURE_NAMES } from './world-parameters.ts';
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

export const toClimate = ({ regime, figures, hazards }: WorldParameters, turn: number): Climate => {
  const overrides = FIGURE_NAMES.map((name) => [name, toOverride(figures[name], turn)]);
  return {
    ...(Object.fromEntries(overrides) as Record<FigureName, Override | undefined>),
    regime: REGIMES[regime],
    growthSd: Math.sqrt(REGIMES[regime].growth.sd ** 2 - RECESSION_VARIANCE),
    hazards: EVENT_LIST.map(({ hazard }, index) =>
      override(hazard, toOverride(hazards[index], turn)),
    ),
  };
};

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
