/**
 * Returns the effect of no event. Lists every member for speed, because V8 reads objects of one
 * shape faster.
 */
export const createShock = () => ({
  /** Percentage points of annual GDP growth, added to the random growth shock. */
  gdpGrowth: 0,
  /** Increase of unit costs, in percent of the price. */
  directCostPct: 0,
  /** Percent that is added to the price of rivals; negative in a price war. */
  rivalPricePct: 0,
  /** Increase of overhead, in percent of revenue. */
  overheadPct: 0,
  demandPct: 0,
  wageGrowth: 0,
  /** Percent of vacancies that cannot be filled. */
  unfilledPct: 0,
  /** Increase of the credit spread, in percentage points. */
  creditSpread: 0,
  /** Percent of customers that are lost in addition to the usual churn. */
  lostCustomersPct: 0,
  oneOffCostPct: 0,
});

export type Shock = ReturnType<typeof createShock>;

type EventKind = {
  readonly label: string;
  readonly hazard: number;
  readonly duration: number;
  readonly decay: number;
  /** Effect in the event's first quarter. It decays in the following quarters. */
  readonly effect: Readonly<Partial<Shock>>;
};

/**
 * Hazards per quarter and sizes of effects are estimates, explained in docs/simulation-model.md.
 */
const EVENT_KINDS = {
  recession: {
    label: 'Recession',
    hazard: 0.03,
    duration: 2,
    decay: 0.5,
    effect: { gdpGrowth: -4 },
  },
  supply_shock: {
    label: 'Supply shock',
    hazard: 0.04,
    duration: 4,
    decay: 0.75,
    effect: { directCostPct: 4 },
  },
  price_war: {
    label: 'Price war of competitors',
    hazard: 0.04,
    duration: 4,
    decay: 0.75,
    effect: { rivalPricePct: -6 },
  },
  regulation: {
    label: 'New regulation',
    hazard: 0.02,
    duration: 8,
    decay: 0.9,
    effect: { overheadPct: 1.5 },
  },
  demand_surge: {
    label: 'Demand surge',
    hazard: 0.03,
    duration: 3,
    decay: 0.6,
    effect: { demandPct: 6 },
  },
  talent_shortage: {
    label: 'Talent shortage',
    hazard: 0.03,
    duration: 4,
    decay: 0.8,
    effect: { wageGrowth: 4, unfilledPct: 50 },
  },
  credit_tightening: {
    label: 'Credit tightening',
    hazard: 0.03,
    duration: 6,
    decay: 0.8,
    effect: { creditSpread: 2 },
  },
  cyber_incident: {
    label: 'Cyber incident',
    hazard: 0.02,
    duration: 2,
    decay: 0.4,
    effect: { lostCustomersPct: 2, oneOffCostPct: 4 },
  },
  key_customer_loss: {
    label: 'Loss of a key customer',
    // Hazard if the largest customer has 10 % of the revenue; the hazard is proportional to that
    // share.
    hazard: 0.02,
    duration: 1,
    decay: 0,
    effect: {},
  },
} as const satisfies Record<string, EventKind>;

export type EventCode = keyof typeof EVENT_KINDS;

export const EVENT_CODES = Object.keys(EVENT_KINDS) as readonly EventCode[];

/** Its order is also that of the arrays of draws, hazards and running events. */
export const EVENT_LIST: readonly EventKind[] = Object.values(EVENT_KINDS);
