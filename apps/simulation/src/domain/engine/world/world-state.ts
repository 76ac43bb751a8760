import { REGIMES } from './regime.ts';

export type WorldState = {
  /**
   * The `latent` rates are the state of the autoregression. Parameters that add or scale change
   * only the observed rates below.
   */
  latentGrowth: number;
  latentInflation: number;
  latentRate: number;
  gdpGrowth: number;
  inflationRate: number;
  /** Rate of a 3-month bill; never below 0. */
  interestRate: number;
  unemployment: number;
  /** Growth of the sector in excess of the economy's. */
  sectorLead: number;
  sectorGrowth: number;
  wageGrowth: number;
  priceLevel: number;
  /** Remaining quarters of each event after this one, in the order of EVENT_LIST. */
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

/** Returns a mutable copy. Lists every field for speed; see `copyCompany`. */
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
