import type { JsonSchema } from '../../http/route.ts';
import { pageSchema } from '../list-page.ts';
import { EXACT_TEXT, EXACT_NON_BLANK_TEXT } from '../../http/text-pattern.ts';

const TRAIT_LENGTH_MAX = 4_000;
const PROMPT_LENGTH_MAX = 32_000;
const NAME_LENGTH_MAX = 120;
const ROLE_LENGTH_MAX = 500;
const MODEL_LENGTH_MAX = 256;

const text: JsonSchema = { type: 'string' };
const instant: JsonSchema = { type: 'string', format: 'date-time' };
/**
 * Marks a field that the server sets. A change ignores it, so that a client can send back the
 * object that it read.
 */
const readOnly: JsonSchema = { readOnly: true };

const nullableText = (maxLength: number, description: string): JsonSchema => ({
  type: ['string', 'null'],
  maxLength,
  pattern: EXACT_TEXT,
  description,
});

const requiredText = (maxLength: number, description: string): JsonSchema => ({
  type: 'string',
  maxLength,
  pattern: EXACT_NON_BLANK_TEXT,
  description,
});

const PERSONA = {
  name: requiredText(NAME_LENGTH_MAX, 'Its address agent:<slug> follows from it'),
  role: nullableText(ROLE_LENGTH_MAX, 'For example: Chief financial officer'),
  systemPrompt: requiredText(PROMPT_LENGTH_MAX, 'Who it is and how it answers'),
  personality: nullableText(TRAIT_LENGTH_MAX, 'How it comes across'),
  mission: nullableText(TRAIT_LENGTH_MAX, 'What it is there for'),
  decisionStyle: nullableText(TRAIT_LENGTH_MAX, 'How it weighs and decides'),
  model: nullableText(
    MODEL_LENGTH_MAX,
    'The model address that it prefers, with or without +sensitive',
  ),
} as const;

export const NEW_AGENT: JsonSchema = {
  type: 'object',
  required: ['name', 'systemPrompt'],
  properties: PERSONA,
};

export const AGENT_CHANGE: JsonSchema = {
  type: 'object',
  properties: {
    ...PERSONA,
    id: readOnly,
    slug: readOnly,
    createdAt: readOnly,
    updatedAt: readOnly,
  },
};

const RESPONSE_MEMBERS = {
  id: text,
  name: text,
  slug: { ...text, description: 'Unique in the workspace: `agent:<slug>` is its address' },
  role: { ...text, description: 'Empty when none was given, as every text of a persona' },
  systemPrompt: text,
  personality: text,
  mission: text,
  decisionStyle: text,
  model: text,
  createdAt: instant,
  updatedAt: instant,
} as const;

const agent: JsonSchema = {
  type: 'object',
  required: Object.keys(RESPONSE_MEMBERS),
  additionalProperties: false,
  properties: RESPONSE_MEMBERS,
};

export const AGENT: JsonSchema = {
  type: 'object',
  required: ['agent'],
  additionalProperties: false,
  properties: { agent },
};

const count: JsonSchema = { type: 'integer', minimum: 0 };

export const UPDATED_AGENT: JsonSchema = {
  ...AGENT,
  properties: {
    agent,
    closedSessions: {
      ...count,
      description: 'Present when the agent left the machine: sessions that it cannot continue',
    },
    hiddenMemories: {
      ...count,
      description: 'Present when the agent left the machine: memories that it is shown no more',
    },
  },
};

export const AGENTS: JsonSchema = pageSchema('agents', agent);
