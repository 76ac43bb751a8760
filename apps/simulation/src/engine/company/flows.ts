/** Profit and loss and cash flows of one quarter, in the caller's currency. */
export type Flows = {
  openingCash: number;
  openingEarnings: number;
  revenue: number;
  directCosts: number;
  wages: number;
  marketing: number;
  rd: number;
  overhead: number;
  /** Costs of market entries, cost programs, dismissals and incidents in this quarter. */
  oneOffs: number;
  ebitda: number;
  depreciation: number;
  interest: number;
  tax: number;
  netIncome: number;
  operatingCash: number;
  investingCash: number;
  financingCash: number;
  /** Increase of overdue payments; it is part of `operatingCash`. */
  withheld: number;
  drewCredit: boolean;
  becameInsolvent: boolean;
};

export const createFlows = (): Flows => ({
  openingCash: 0,
  openingEarnings: 0,
  revenue: 0,
  directCosts: 0,
  wages: 0,
  marketing: 0,
  rd: 0,
  overhead: 0,
  oneOffs: 0,
  ebitda: 0,
  depreciation: 0,
  interest: 0,
  tax: 0,
  netIncome: 0,
  operatingCash: 0,
  investingCash: 0,
  financingCash: 0,
  withheld: 0,
  drewCredit: false,
  becameInsolvent: false,
});
