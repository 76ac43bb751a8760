import type { Flows } from '../company/flows.ts';
import type { DraftTurn } from './draft-turn.ts';

export type TurnSums = {
  quarters: number;
  readonly flows: Record<FlowName, number>;
  readonly rates: Record<RateName, number>;
};

const FLOW_NAMES = [
  'revenue',
  'directCosts',
  'wages',
  'marketing',
  'rd',
  'overhead',
  'oneOffs',
  'ebitda',
  'depreciation',
  'interest',
  'tax',
  'netIncome',
  'operatingCash',
  'investingCash',
  'financingCash',
  'withheld',
] as const satisfies readonly (keyof Flows)[];
type FlowName = (typeof FLOW_NAMES)[number];

const RATE_NAMES = [
  'gdpGrowth',
  'inflationRate',
  'interestRate',
  'sectorGrowth',
  'wageGrowth',
] as const;
type RateName = (typeof RATE_NAMES)[number];

const zeros = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

export const createTurnSums = (): TurnSums => ({
  quarters: 0,
  flows: zeros(FLOW_NAMES),
  rates: zeros(RATE_NAMES),
});

export const addQuarter = (sums: TurnSums, { flows, world }: DraftTurn): void => {
  sums.quarters += 1;
  for (const name of FLOW_NAMES) sums.flows[name] += flows[name];
  for (const name of RATE_NAMES) sums.rates[name] += world[name];
};
