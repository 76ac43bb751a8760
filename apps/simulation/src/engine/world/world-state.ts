import { REGIMES } from './regime.ts';

export type WorldState = {
  /**
   * State of the autoregression. Parameters that add to or scale a rate do not change these
   * `latent` rates, only the displayed rates below.
   */
  latentGrowth: number;
  latentInflation: number;
  latentRate: number;
  gdpGrowth: number;
  inflationRate: number;
  /** Rate of a 3-month bill in percent per year; never below 0. */
  interestRate: number;
  unemployment: number;
  /** Growth of the sector beyond what the economy's growth explains. */
  sectorLead: number;
  sectorGrowth: number;
  wageGrowth: number;
  priceLevel: number;
  /** Number of further quarters for which each event continues, in the order of EVENT_LIST. */
  running: number[];
};

export const MEAN_UNEMPLOYMENT = 5.89;

export const openWorld = (events: number): WorldState => {
  const { growth, inflation, rate } = REGIMES.long.mean;
  return {
    latentGrowth: growth,
    latentInflation: inflation,
    latentRate: rate,
    gdpGrowth: growth,
    inflationRate: inflation,
    interestRate: rate,
    unemployment: MEAN_UNEMPLOYMENT,
    sectorLead: 0,
    sectorGrowth: growth,
    wageGrowth: inflation,
    priceLevel: 1,
    running: Array.from({ length: events }, () => 0),
  };
};

/** Returns a mutable copy. It lists every field for speed, as `copyCompany` explains. */
export const copyWorld = (world: Readonly<WorldState>): WorldState => ({
  latentGrowth: world.latentGrowth,
  latentInflation: world.latentInflation,
  latentRate: world.latentRate,
  gdpGrowth: world.gdpGrowth,
  inflationRate: world.inflationRate,
  interestRate: world.interestRate,
  unemployment: world.unemployment,
  sectorLead: world.sectorLead,
  sectorGrowth: world.sectorGrowth,
  wageGrowth: world.wageGrowth,
  priceLevel: world.priceLevel,
  running: [...world.running],
});
