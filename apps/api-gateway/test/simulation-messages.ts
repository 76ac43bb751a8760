import type { create } from '@bufbuild/protobuf';
import type { ScenarioSchema, SimulationSchema, StateSchema } from '@witan/contracts';

type Init<T extends Parameters<typeof create>[0]> = NonNullable<Parameters<typeof create<T>>[1]>;

const TIMESTAMP = { seconds: 1_790_000_000n, nanos: 5_000_000 };
export const CREATED = '2026-09-21T14:13:20.005Z';

export const EXACT =
  '{"revenue":1200000.50,"account":12345678901234567890,"crew":{"a":1e3,"b":-0}}';

export const SIMULATION: Init<typeof SimulationSchema> = {
  id: 'sim_1',
  name: 'North',
  turnUnit: 'quarter',
  companyBase: EXACT,
  currentTurn: 2,
  status: 'active',
  seed: 9_007_199_254_740_991n,
  createdAt: TIMESTAMP,
  stateCount: 4,
  assumptions: ['cash is six months of burn'],
  modelVersion: '1',
};

export const SCENARIO: Init<typeof ScenarioSchema> = {
  id: 'scn_1',
  simulationId: 'sim_1',
  name: 'Recession',
  parameters: '{"gdpGrowth":-2.0,"mood":"grim"}',
  ignoredParameters: ['mood'],
  isActive: true,
  createdAt: TIMESTAMP,
  forkedAtTurn: 1,
};

export const STATE: Init<typeof StateSchema> = {
  id: 'sta_1',
  scenarioId: 'scn_1',
  turn: 2,
  companyState: '{"revenue":1250000.25,"account":12345678901234567890}',
  worldState: '{"gdpGrowth":-2.0}',
  events: [
    {
      label: 'Price war',
      impact: 'medium',
      code: 'price_war',
      effect: '{"price":-3.0}',
      duration: 2,
    },
  ],
  stateHash: 'ab'.repeat(32),
  decisionsHash: 'cd'.repeat(32),
  decisions: '{"levers":{"priceChange":0.5}}',
  proofIds: ['pf_1', 'pf_2'],
  createdAt: TIMESTAMP,
};
