import { EXACT_NON_BLANK_TEXT, PLAIN_TEXT } from '../../http/text-pattern.ts';
import { closedObject, dateTime, flag, nullableText, readOnly, text } from '../../http/schema.ts';

const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 4_000;
const ID_LENGTH_MAX = 80;

const parameters = {
  type: 'object',
  description:
    'The world as this scenario has it, by name: a number pins it, {value, mode, fromTurn?, ' +
    'toTurn?} with mode set, add or scale bends it, {path: [...]} gives it turn by turn. Names: ' +
    'gdpGrowth, inflationRate, interestRate, sectorGrowth, unemployment, priceElasticity, ' +
    'competitorIntensity, eventHazard.<code>, wageGrowth, taxRate; others are kept and shown to ' +
    'the agents. At most 32,768 bytes of JSON',
  examples: [{ gdpGrowth: -2, interestRate: { value: 1.5, mode: 'add', fromTurn: 2 } }],
} as const;

const REQUEST_MEMBERS = {
  name: { type: 'string', maxLength: NAME_LENGTH_MAX, pattern: EXACT_NON_BLANK_TEXT },
  description: {
    type: ['string', 'null'],
    maxLength: DESCRIPTION_LENGTH_MAX,
    pattern: PLAIN_TEXT,
  },
  parameters,
} as const;

export const NEW_SCENARIO = {
  type: 'object',
  required: ['name'],
  properties: {
    ...REQUEST_MEMBERS,
    fromScenarioId: {
      type: 'string',
      maxLength: ID_LENGTH_MAX,
      description: "Whose last state it begins from; by default the oldest scenario's",
    },
  },
} as const;

export const SCENARIO_CHANGE = {
  type: 'object',
  properties: {
    ...REQUEST_MEMBERS,
    parameters: { ...parameters, description: 'Replaces them all, from the next turn on' },
    isActive: { ...flag, description: 'False: it is not advanced, and keeps its states' },
    id: readOnly,
    simulationId: readOnly,
    ignoredParameters: readOnly,
    forkedAtTurn: readOnly,
    createdAt: readOnly,
  },
} as const;

export const scenario = closedObject({
  id: text,
  simulationId: text,
  name: text,
  description: nullableText,
  parameters: { type: 'object' },
  ignoredParameters: {
    type: 'array',
    items: text,
    description: 'Names in `parameters` that the model does not know',
  },
  isActive: flag,
  forkedAtTurn: {
    type: 'integer',
    minimum: 0,
    description: 'The turn whose state it began from',
  },
  createdAt: dateTime,
});

export const SCENARIO = closedObject({ scenario });
