import { EVENT_CODES } from './event-catalogue.ts';
import { REGIMES } from './regime.ts';
import type { Regime } from './regime.ts';

export const MEAN_UNEMPLOYMENT = 5.89;

/** Returns the world at turn 0. Rates and growth are in percent per year. */
export const openWorld = () => {
  const { growth, inflation, rate }: Regime['mean'] = REGIMES.long.mean;
  return {
    /**
     * State of the autoregression. Parameters that add to or scale a rate do not change these
     * `latent` rates, only the displayed rates below.
     */
    latentGrowth: growth,
    latentInflation: inflation,
    latentRate: rate,
    gdpGrowth: growth,
    inflationRate: inflation,
    /** Rate of a 3-month bill; never below 0. */
    interestRate: rate,
    unemployment: MEAN_UNEMPLOYMENT,
    /** Growth of the sector beyond what the economy's growth and the sector's trend explain. */
    sectorLead: 0,
    sectorGrowth: growth,
    wageGrowth: inflation,
    priceLevel: 1,
    /** Number of further quarters for which each event continues, in the order of EVENT_LIST. */
    running: EVENT_CODES.map(() => 0),
  };
};

export type WorldState = ReturnType<typeof openWorld>;

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
