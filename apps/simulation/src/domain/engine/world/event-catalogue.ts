/** What an event does in its first quarter; it decays from there. */
export type EventEffect = {
  /** Percentage points of annual growth, on the world's residual. */
  readonly gdpGrowth?: number;
  /** Percent of price that a unit costs more. */
  readonly directCostPct?: number;
  /** Percent by which rivals undercut their own prices. */
  readonly rivalPricePct?: number;
  /** Percent of revenue that overhead rises by. */
  readonly overheadPct?: number;
  readonly demandPct?: number;
  /** Percentage points of annual growth. */
  readonly wageGrowth?: number;
  /** Percent of open places that stay empty. */
  readonly unfilledPct?: number;
  /** Percentage points on what lenders ask. */
  readonly creditSpread?: number;
  /** Percent of customers that leave beside the usual. */
  readonly lostCustomersPct?: number;
  /** Percent of a quarter's revenue, paid at once. */
  readonly oneOffCostPct?: number;
};

export type EventKind = {
  readonly label: string;
  /** The chance that it begins in a quarter in which it does not run. */
  readonly hazard: number;
  /** Quarters, the first included. */
  readonly duration: number;
  /** What is left of the effect after each quarter. */
  readonly decay: number;
  readonly effect: EventEffect;
};

/** Hazards and sizes are judgement (docs/simulation-model.md), but where they say otherwise. */
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
    // For a company whose largest customer has 10 % of its revenue; in proportion for others.
    hazard: 0.02,
    duration: 1,
    decay: 0,
    // The largest customer's share of the revenue is what is lost.
    effect: {},
  },
} as const satisfies Record<string, EventKind>;

export type EventCode = keyof typeof EVENT_KINDS;

export const EVENT_CODES = Object.keys(EVENT_KINDS) as readonly EventCode[];

/** In this order everywhere: of draws, hazards and running events. */
export const EVENT_LIST: readonly EventKind[] = Object.values(EVENT_KINDS);
