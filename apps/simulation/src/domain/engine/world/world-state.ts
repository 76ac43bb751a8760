import { REGIMES } from './regime.ts';

/** The economy at the end of a quarter. Rates are percent a year. */
export type WorldState = {
  /**
   * What the autoregression remembers; a parameter that adds or scales changes only what is met.
   */
  latentGrowth: number;
  latentInflation: number;
  latentRate: number;
  /** What the company meets. */
  gdpGrowth: number;
  inflationRate: number;
  /** Of a 3-month bill; never below 0. */
  interestRate: number;
  unemployment: number;
  /** What the sector has beside the economy's growth. */
  sectorLead: number;
  /** Real. */
  sectorGrowth: number;
  wageGrowth: number;
  /** 1 at turn 0. */
  priceLevel: number;
  /** Quarters that each event of the catalogue still has effect, this one not included. */
  running: number[];
};

/** US mean 1959 to 2009. */
export const MEAN_UNEMPLOYMENT = 5.89;

/** A world at rest in the long sample's means. */
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

/** A copy to play on; field by field for the reason of `copyCompany`. */
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
