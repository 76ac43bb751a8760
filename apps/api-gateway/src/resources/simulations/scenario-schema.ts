import type { JsonSchema } from '../../http/route.ts';
import { closedObject } from '../closed-object.ts';
import { EXACT_NON_BLANK_TEXT, PLAIN_TEXT } from '../../http/text-pattern.ts';

const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 4_000;
const ID_LENGTH_MAX = 80;

const text: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };
const readOnly: JsonSchema = { readOnly: true };

const parameters: JsonSchema = {
  type: 'object',
  description:
    'The world as this scenario has it, by name: a number pins it, {value, mode, fromTurn?, ' +
    'toTurn?} with mode set, add or scale bends it, {path: [...]} gives it turn by turn. Names: ' +
    'gdpGrowth, inflationRate, interestRate, sectorGrowth, unemployment, priceElasticity, ' +
    'competitorIntensity, eventHazard.<code>, wageGrowth, taxRate; others are kept and shown to ' +
    'the agents. At most 32,768 bytes of JSON',
  examples: [{ gdpGrowth: -2, interestRate: { value: 1.5, mode: 'add', fromTurn: 2 } }],
};

const REQUEST_MEMBERS = {
  name: { type: 'string', maxLength: NAME_LENGTH_MAX, pattern: EXACT_NON_BLANK_TEXT },
  description: {
    type: ['string', 'null'],
    maxLength: DESCRIPTION_LENGTH_MAX,
    pattern: PLAIN_TEXT,
  },
  parameters,
} as const;

export const NEW_SCENARIO: JsonSchema = {
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
};

export const SCENARIO_CHANGE: JsonSchema = {
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
};

export const scenario: JsonSchema = closedObject({
  id: text,
  simulationId: text,
  name: text,
  description: { type: ['string', 'null'] },
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
  createdAt: { type: 'string', format: 'date-time' },
});

export const SCENARIO: JsonSchema = closedObject({ scenario });
