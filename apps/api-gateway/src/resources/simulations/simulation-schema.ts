import { TOKEN_USAGE } from '../agent-chat/agent-chat-schema.ts';
import { pageSchema } from '../list-page.ts';
import { scenario } from './scenario-schema.ts';
import { EXACT_NON_BLANK_TEXT, PLAIN_TEXT } from '../../http/text-pattern.ts';
import {
  anyObject,
  closedObject,
  count,
  dateTime,
  flag,
  nullableText,
  proofIds,
  text,
  texts,
} from '../../http/schema.ts';

const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 4_000;
const HORIZON_MAX = 1_000;
const UINT32_MAX = 2 ** 32 - 1;

const proofs = proofIds;
const turnUnit = { enum: ['quarter', 'year'] } as const;
const seed = {
  type: 'integer',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Of all that is left to chance: the same seed and decisions are the same states',
} as const;
const companyBase = {
  type: 'object',
  description:
    'Where the company stands, such as revenue (a year), employees, burn (net cash out a month), ' +
    'cash, sector, currency (an ISO code, which reports show). What is not given is assumed by ' +
    'the sector and listed in `assumptions`; what ' +
    'the model does not know is kept as it is, to the digit, and shown to the agents. At most ' +
    '32,768 bytes of JSON',
  examples: [{ sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000, cash: 1_500_000 }],
} as const;

export const NEW_SIMULATION = {
  type: 'object',
  required: ['name', 'turnUnit', 'companyBase'],
  properties: {
    name: { type: 'string', maxLength: NAME_LENGTH_MAX, pattern: EXACT_NON_BLANK_TEXT },
    description: {
      type: ['string', 'null'],
      maxLength: DESCRIPTION_LENGTH_MAX,
      pattern: PLAIN_TEXT,
    },
    turnUnit,
    companyBase,
    horizonTurns: {
      type: ['integer', 'null'],
      minimum: 1,
      maximum: HORIZON_MAX,
      description: 'The advance that reaches it also finalizes; by default there is none',
    },
    seed: { ...seed, description: `${seed.description}; by default from the id` },
  },
} as const;

const SIMULATION_MEMBERS = {
  id: text,
  name: text,
  description: nullableText,
  turnUnit,
  currentTurn: count,
  status: { enum: ['active', 'finalized'] },
  horizonTurns: { type: ['integer', 'null'] },
  seed,
  companyBase,
  assumptions: { ...texts, description: 'What was not given and taken for granted' },
  modelVersion: { ...text, description: 'Of the model that makes its states' },
  createdAt: dateTime,
} as const;

const simulationSchema = closedObject(SIMULATION_MEMBERS);

export const CREATED_SIMULATION = closedObject({ simulation: simulationSchema });

const listedSimulation = closedObject({
  id: text,
  name: text,
  currentTurn: count,
  turnUnit,
  createdAt: dateTime,
  _count: closedObject({ states: count }),
});

export const SIMULATIONS = pageSchema('simulations', listedSimulation);

export const state = closedObject({
  id: text,
  scenarioId: text,
  turn: { type: 'integer', minimum: 1 },
  companyState: {
    ...anyObject,
    description:
      'Accounts and operations at the end of the turn; revenue is a year, burn a month, rates ' +
      'are percent a year',
  },
  worldState: {
    ...anyObject,
    description:
      'gdpGrowth, inflationRate, interestRate and so on, percent a year: averages of the turn; ' +
      'inflationRate is that of the four quarters up to its end, unless the parameters set it',
  },
  events: {
    type: 'array',
    items: closedObject({
      label: text,
      impact: { enum: ['low', 'medium', 'high'] },
      code: text,
      effect: { ...anyObject, description: 'What it changes, by name' },
      duration: { ...count, description: 'In quarters, this one included' },
    }),
  },
  decisions: {
    ...anyObject,
    description: 'What each agent proposed, what was made of it, and where it was held back',
  },
  stateHash: { ...text, description: 'SHA-256 of its canonical JSON; a replay gets the same' },
  decisionsHash: text,
  proofs,
  createdAt: dateTime,
});

export const STATES = closedObject({ states: { type: 'array', items: state } });

export const SIMULATION_WITH_STATES = closedObject({
  simulation: closedObject({
    ...SIMULATION_MEMBERS,
    scenarios: { type: 'array', items: scenario },
    states: { type: 'array', items: state, description: 'The last 50, newest first' },
  }),
});

export const ADVANCE = {
  type: 'object',
  properties: {
    expectedTurn: {
      type: 'integer',
      minimum: 0,
      maximum: UINT32_MAX,
      description: 'The turn that the simulation is at; 409 turn_conflict when it is another',
    },
  },
} as const;

export const ADVANCE_RESULT = closedObject({
  states: { type: 'array', items: state, description: 'One for each active scenario' },
  currentTurn: count,
  finalized: { ...flag, description: 'The horizon was reached, and the report is there' },
  usage: TOKEN_USAGE,
  proofs,
});

export const IGNORED_BODY = { type: 'object', properties: {} } as const;

const reportSchema = closedObject({
  summary: text,
  keyDecisions: texts,
  risks: texts,
  recommendations: texts,
  facts: {
    ...anyObject,
    description:
      'Computed; every number of the report is one of them. `language` is that of the report ' +
      '(`en` or `de`), `comparedAfterTurns` the time that all scenarios have played',
  },
  fromTemplate: { ...flag, description: 'Written by rules, not by a model' },
  templateReason: {
    enum: ['no_provider', 'unavailable', 'form', 'numbers', 'figures', null],
    description:
      'Why rules wrote it: no provider is configured, its call failed, or the last text of the ' +
      'model had another form, numbers that were not computed, or statements against the ' +
      'figures. null: a model wrote it',
  },
  proofs,
});

export const REPORT = closedObject({ report: reportSchema });
