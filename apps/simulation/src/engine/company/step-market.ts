import * as exactMath from '../number/exact-math.ts';
import { override } from '../world/climate.ts';
import type { DraftTurn } from '../turn/draft-turn.ts';
import { budgetOf } from './company-state.ts';

// A constant of this module is faster than an imported one, which V8 checks at each use.
const { exactExp, exactLog, roundToScale, INDEX_SCALE, PERCENT, PERCENT_PER_YEAR, SHARE_SCALE } =
  exactMath;

/**
 * Long-run elasticity of attraction with respect to marketing spending; `QUALITY_WEIGHT` is that of
 * R&D spending.
 */
export const BRAND_WEIGHT = 0.24;
export const QUALITY_WEIGHT = 0.08;
const [BRAND_DECAY, QUALITY_DECAY] = [0.4, 0.0398] as const;
/** Share of the gap between the market share and its equilibrium that closes per quarter. */
const SHARE_SPEED = 0.35;
/**
 * Exponents of churn: per logarithm of the price relative to the rivals' price, and per unserved
 * share of demand.
 */
const [CHURN_PRICE, CHURN_SERVICE] = [1, 4] as const;
/**
 * Maximum part of the market share lost in a quarter: to unserved demand alone, and to unserved
 * demand and events together. The second is also the maximum random loss.
 */
const [SERVICE_LOSS_MAX, LOSS_MAX] = [0.3, 0.9] as const;
/** Bounds of the company's price as a multiple of the rivals' price. */
const [RELATIVE_PRICE_MIN, RELATIVE_PRICE_MAX] = [0.05, 20] as const;
const [PRICE_MAX, MARKET_MAX, INDEX_MAX] = [1e24, 1e18, 1e3] as const;
/**
 * Minimum of the brand and quality indices. Without spending they would approach 0, which has no
 * logarithm.
 */
const INDEX_MIN = 0.02;
/**
 * Size of an additional market as a share of the present one. A quarter of it is added in each of
 * `ENTRY_QUARTERS` quarters.
 */
const ENTRY_SIZE = 0.25;
const ENTRY_QUARTERS = 4;
const [SHARE_MIN, SHARE_MAX] = [1e-9, 0.999] as const;

export const stepMarket = (draft: DraftTurn): void => {
  const { company, world, levers } = draft;
  const size = company.marketCustomers * (1 + world.sectorGrowth * PERCENT_PER_YEAR);
  company.marketCustomers = roundToScale(Math.min(MARKET_MAX, size), company.unitScale);
  if (levers.newMarketEntry === 1) {
    company.entryQuarters = ENTRY_QUARTERS;
    company.marketsEntered += 1;
  }
  if (company.entryQuarters > 0) enterMarket(draft);
  movePrices(draft);
  stepReputation(draft);
  stepShare(draft);
};

/**
 * Adds one quarter's part of an additional market. The company has no customers in that part, so
 * its share of the enlarged market is lower.
 */
const enterMarket = ({ company }: DraftTurn): void => {
  const growth = 1 + ENTRY_SIZE / ENTRY_QUARTERS;
  const size = Math.min(MARKET_MAX, company.marketCustomers * growth);
  company.marketCustomers = roundToScale(size, company.unitScale);
  company.marketShare = roundToScale(company.marketShare / growth, SHARE_SCALE);
};

/**
 * Changes the company's and the rivals' price by inflation, and the company's price also by the
 * lever `priceChange`, within bounds relative to the rivals' price.
 */
const movePrices = ({ company, levers, inflation }: DraftTurn): void => {
  const { priceScale } = company;
  company.marketPrice = roundToScale(
    Math.min(PRICE_MAX, company.marketPrice * inflation),
    priceScale,
  );
  const targetPrice = company.price * inflation * (1 + levers.priceChange * PERCENT);
  const maxPrice = company.marketPrice * RELATIVE_PRICE_MAX;
  const minPrice = company.marketPrice * RELATIVE_PRICE_MIN;
  company.price = roundToScale(Math.max(minPrice, Math.min(maxPrice, targetPrice)), priceScale);
};

const stepReputation = ({ company, levers, flows }: DraftTurn): void => {
  company.marketingPct = levers.marketingPct;
  company.rdPct = levers.rdPct;
  company.capexPct = levers.capexPct;
  const budget = budgetOf(company) * PERCENT_PER_YEAR;
  flows.marketing = roundToScale(levers.marketingPct * budget, company.moneyScale);
  flows.rd = roundToScale(levers.rdPct * budget, company.moneyScale);
  const marketSize = company.marketCustomers * company.marketPrice;
  const marketingRatio = flows.marketing / (company.usualMarketing * marketSize);
  const rdRatio = flows.rd / (company.usualRd * marketSize);
  company.brand = toIndex(company.brand + BRAND_DECAY * (marketingRatio - company.brand));
  company.quality = toIndex(company.quality + QUALITY_DECAY * (rdRatio - company.quality));
};

const toIndex = (value: number): number =>
  roundToScale(Math.max(INDEX_MIN, Math.min(INDEX_MAX, value)), INDEX_SCALE);

/**
 * Moves the market share towards its equilibrium in the attraction model (Bell, Keeney and Little),
 * less lost customers, and multiplies it by a random factor.
 */
const stepShare = ({ company, sector, shock, climate, draws }: DraftTurn): void => {
  const rivalPrice = company.marketPrice * (1 + shock.rivalPricePct * PERCENT);
  const priceGap = exactLog(company.price / rivalPrice);
  const elasticity = override(sector.priceElasticity, climate.priceElasticity);
  const attraction = exactExp(
    BRAND_WEIGHT * exactLog(company.brand) +
      QUALITY_WEIGHT * exactLog(company.quality) -
      elasticity * priceGap,
  );
  const rivals = company.rivals * override(1, climate.competitorIntensity);
  const equilibrium = attraction / (attraction + rivals);

  const before = company.marketShare;
  const lossRate = Math.min(LOSS_MAX, shock.lostCustomersPct * PERCENT + serviceLoss(company));
  const randomFactor = Math.max(1 - LOSS_MAX, 1 + company.volatility * draws.company);
  const share = (before + SHARE_SPEED * (equilibrium - before) - lossRate * before) * randomFactor;
  company.marketShare = roundToScale(Math.max(SHARE_MIN, Math.min(SHARE_MAX, share)), SHARE_SCALE);
};

const serviceLoss = ({ serviceGap, usualChurnPct }: DraftTurn['company']): number =>
  serviceGap === 0
    ? 0
    : Math.min(
        SERVICE_LOSS_MAX,
        usualChurnPct * PERCENT * (exactExp(CHURN_SERVICE * serviceGap) - 1),
      );

export const churnOf = (company: DraftTurn['company']): number => {
  const priceGap = exactLog(company.price / company.marketPrice);
  const churn = exactExp(CHURN_PRICE * priceGap + CHURN_SERVICE * company.serviceGap);
  return Math.min(100, company.usualChurnPct * churn);
};

/**
 * Serves demand up to the capacity. A share of the unserved demand becomes backlog for the next
 * quarter.
 */
export const serveDemand = ({ company, sector, shock, flows }: DraftTurn): void => {
  const demandFactor = 1 + shock.demandPct * PERCENT;
  const demand = company.marketShare * company.marketCustomers * demandFactor + company.backlog;
  const servedDemand = Math.min(demand, company.capacity);
  const unserved = demand - servedDemand;
  company.customers = roundToScale(servedDemand, company.unitScale);
  company.backlog =
    unserved === 0 ? 0 : roundToScale(unserved * sector.backlogShare, company.unitScale);
  company.serviceGap = unserved === 0 ? 0 : roundToScale(unserved / demand, INDEX_SCALE);
  flows.revenue = roundToScale(company.customers * company.price * 0.25, company.moneyScale);
};
