import { REGIMES } from './regime.ts';

/** The economy at the end of a quarter. Rates are percent a year. */
export type WorldState = {
  /**
   * State of the autoregression; a parameter that adds or scales changes only the observed rates.
   */
  latentGrowth: number;
  latentInflation: number;
  latentRate: number;
  /** Observed by the company. */
  gdpGrowth: number;
  inflationRate: number;
  /** Rate of a 3-month bill; never below 0. */
  interestRate: number;
  unemployment: number;
  /** Growth of the sector in addition to the economy's. */
  sectorLead: number;
  /** In real terms. */
  sectorGrowth: number;
  wageGrowth: number;
  /** 1 at turn 0. */
  priceLevel: number;
  /** Remaining quarters of each event of the catalogue, not counting this one. */
  running: number[];
};

/** US mean 1959 to 2009. */
export const MEAN_UNEMPLOYMENT = 5.89;

/** Returns a world in equilibrium at the long sample's means. */
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

/** Returns a mutable copy; see `copyCompany` for why it lists every field. */
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
