import type { Draws } from '../random/draw-quarter.ts';
import * as exactMath from '../number/exact-math.ts';
import { override } from './climate.ts';
import type { Climate, Override } from './climate.ts';
import {
  INFLATION_ALONE,
  INFLATION_ON_GROWTH,
  RATE_ALONE,
  RATE_ON_GROWTH,
  RATE_ON_INFLATION,
  RECESSION_MEAN,
} from './regime.ts';
import type { Equation } from './regime.ts';
import type { Shock } from './event-catalogue.ts';
import { MEAN_UNEMPLOYMENT } from './world-state.ts';
import type { WorldState } from './world-state.ts';

// A constant of this module is faster than an imported one, which V8 checks at each use.
const { roundToScale, INDEX_SCALE, PERCENT_PER_YEAR } = exactMath;

/** Growth of a sector in response to the economy. */
export type SectorPace = {
  /** Percentage points of sector growth per percentage point of GDP growth. */
  readonly growthBeta: number;
  readonly growthTrend: number;
  /** Standard deviation of the sector's own quarterly shock, in percent per year. */
  readonly growthNoise: number;
};

/**
 * Okun's law, fitted on the data of the `long` regime: the quarterly change of unemployment in
 * percentage points is OKUN_CONSTANT + OKUN_SLOPE × GDP growth.
 */
const [OKUN_CONSTANT, OKUN_SLOPE] = [0.227, -0.067] as const;
/**
 * Share of the gap to the sample mean that unemployment closes per quarter. With Okun's law alone
 * it would drift.
 */
const UNEMPLOYMENT_RETURN = 0.025;
const OKUN_DRIFT = OKUN_CONSTANT + OKUN_SLOPE * 3.112292;
const [UNEMPLOYMENT_MIN, UNEMPLOYMENT_MAX] = [0.5, 40] as const;
const SECTOR_PERSISTENCE = 0.3;
/**
 * Growth of real wages in percent per year, and its change per point of unemployment above the
 * mean.
 */
const [REAL_WAGE_GROWTH, WAGE_TIGHTNESS] = [1, -0.35] as const;
const [PRICE_LEVEL_MIN, PRICE_LEVEL_MAX] = [1e-3, 1e9] as const;

export const stepWorld = (
  world: WorldState,
  draws: Draws,
  shock: Shock,
  climate: Climate,
  pace: SectorPace,
): void => {
  stepEconomy(world, draws, shock, climate);
  const drift = OKUN_CONSTANT - OKUN_DRIFT + OKUN_SLOPE * world.gdpGrowth;
  const reversion = UNEMPLOYMENT_RETURN * (MEAN_UNEMPLOYMENT - world.unemployment);
  const unemployment = override(world.unemployment + drift + reversion, climate.unemployment);
  world.unemployment = roundToScale(
    Math.min(UNEMPLOYMENT_MAX, Math.max(UNEMPLOYMENT_MIN, unemployment)),
    INDEX_SCALE,
  );
  const sectorLead = SECTOR_PERSISTENCE * world.sectorLead + pace.growthNoise * draws.sector;
  world.sectorLead = roundToScale(sectorLead, INDEX_SCALE);
  const growth = pace.growthTrend + pace.growthBeta * world.gdpGrowth + world.sectorLead;
  world.sectorGrowth = roundToScale(override(growth, climate.sectorGrowth), INDEX_SCALE);
  const tightness = WAGE_TIGHTNESS * (world.unemployment - MEAN_UNEMPLOYMENT);
  const wages = world.inflationRate + REAL_WAGE_GROWTH + tightness + shock.wageGrowth;
  world.wageGrowth = roundToScale(override(wages, climate.wageGrowth), INDEX_SCALE);
  const level = world.priceLevel * (1 + world.inflationRate * PERCENT_PER_YEAR);
  world.priceLevel = roundToScale(
    Math.min(PRICE_LEVEL_MAX, Math.max(PRICE_LEVEL_MIN, level)),
    INDEX_SCALE,
  );
};

const stepEconomy = (world: WorldState, draws: Draws, shock: Shock, climate: Climate): void => {
  const { growth, inflation, rate } = climate.regime;
  const growthShock = climate.growthSd * draws.growth + shock.gdpGrowth - RECESSION_MEAN;
  const inflationDraw = INFLATION_ON_GROWTH * draws.growth + INFLATION_ALONE * draws.inflation;
  const rateDraw =
    RATE_ON_GROWTH * draws.growth + RATE_ON_INFLATION * draws.inflation + RATE_ALONE * draws.rate;
  const nextGrowth = expectedValue(growth, world) + growthShock;
  const nextInflation = expectedValue(inflation, world) + inflation.sd * inflationDraw;
  const nextRate = expectedValue(rate, world) + rate.sd * rateDraw;

  world.gdpGrowth = roundToScale(override(nextGrowth, climate.gdpGrowth), INDEX_SCALE);
  world.inflationRate = roundToScale(override(nextInflation, climate.inflationRate), INDEX_SCALE);
  const observedRate = override(nextRate, climate.interestRate);
  world.interestRate = roundToScale(observedRate < 0 ? 0 : observedRate, INDEX_SCALE);
  // After a rate that parameters set, the autoregression continues from that rate. After one that
  // parameters add to or scale, it continues from the rate without the change.
  const { gdpGrowth, inflationRate, interestRate } = climate;
  world.latentGrowth = isObserved(gdpGrowth)
    ? world.gdpGrowth
    : roundToScale(nextGrowth, INDEX_SCALE);
  world.latentInflation = isObserved(inflationRate)
    ? world.inflationRate
    : roundToScale(nextInflation, INDEX_SCALE);
  world.latentRate =
    interestRate?.mode === 'set' ? world.interestRate : roundToScale(nextRate, INDEX_SCALE);
};

/**
 * Returns true if the autoregression continues from the displayed rate, because no parameter
 * changes the rate or a parameter sets it.
 */
const isObserved = (change: Override | undefined): boolean =>
  change === undefined || change.mode === 'set';

const expectedValue = (equation: Equation, world: WorldState): number =>
  equation.constant +
  equation.growth * world.latentGrowth +
  equation.inflation * world.latentInflation +
  equation.rate * world.latentRate;
