/** What flowed in one quarter: profit and loss, and cash. Money, but where it says otherwise. */
export type Flows = {
  /** What the quarter began with. */
  openingCash: number;
  openingEarnings: number;
  revenue: number;
  directCosts: number;
  wages: number;
  marketing: number;
  rd: number;
  overhead: number;
  /** Of entering markets, cost programs, dismissals and incidents. */
  oneOffs: number;
  ebitda: number;
  depreciation: number;
  interest: number;
  tax: number;
  netIncome: number;
  operatingCash: number;
  investingCash: number;
  financingCash: number;
  /** What suppliers were made to wait for, less what they had waited for; in operatingCash. */
  withheld: number;
  /** The company had to draw on its credit line. */
  drewCredit: boolean;
  /** It stopped paying in this quarter. */
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
