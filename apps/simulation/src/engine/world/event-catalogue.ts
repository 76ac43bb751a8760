/** Effect of an event in its first quarter. It decays in the following quarters. */
export type EventEffect = {
  /** Percentage points of annual GDP growth, added to the random growth shock. */
  readonly gdpGrowth?: number;
  /** Increase of unit costs, in percent of the price. */
  readonly directCostPct?: number;
  /** Percent by which rivals cut their prices. */
  readonly rivalPricePct?: number;
  /** Increase of overhead, in percent of revenue. */
  readonly overheadPct?: number;
  readonly demandPct?: number;
  readonly wageGrowth?: number;
  /** Percent of vacancies that cannot be filled. */
  readonly unfilledPct?: number;
  /** Increase of the credit spread, in percentage points. */
  readonly creditSpread?: number;
  /** Percent of customers that are lost in addition to the usual churn. */
  readonly lostCustomersPct?: number;
  readonly oneOffCostPct?: number;
};

export type EventKind = {
  readonly label: string;
  readonly hazard: number;
  readonly duration: number;
  readonly decay: number;
  readonly effect: EventEffect;
};

/**
 * Hazards per quarter and sizes of effects are estimates, explained in docs/simulation-model.md.
 */
export const EVENT_KINDS = {
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
