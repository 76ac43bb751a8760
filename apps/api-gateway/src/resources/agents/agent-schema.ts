import { pageSchema } from '../list-page.ts';
import { EXACT_TEXT, EXACT_NON_BLANK_TEXT } from '../../http/text-pattern.ts';
import { closedObject, count, dateTime, readOnly, text } from '../../http/schema.ts';

const TRAIT_LENGTH_MAX = 4_000;
const PROMPT_LENGTH_MAX = 32_000;
const NAME_LENGTH_MAX = 120;
const ROLE_LENGTH_MAX = 500;
const MODEL_LENGTH_MAX = 256;

const nullableText = (maxLength: number, description: string) =>
  ({
    type: ['string', 'null'],
    maxLength,
    pattern: EXACT_TEXT,
    description,
  }) as const;

const requiredText = (maxLength: number, description: string) =>
  ({
    type: 'string',
    maxLength,
    pattern: EXACT_NON_BLANK_TEXT,
    description,
  }) as const;

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

export const NEW_AGENT = {
  type: 'object',
  required: ['name', 'systemPrompt'],
  properties: PERSONA,
} as const;

export const AGENT_CHANGE = {
  type: 'object',
  properties: {
    ...PERSONA,
    id: readOnly,
    slug: readOnly,
    createdAt: readOnly,
    updatedAt: readOnly,
  },
} as const;

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
  createdAt: dateTime,
  updatedAt: dateTime,
} as const;

const agent = closedObject(RESPONSE_MEMBERS);

export const AGENT = closedObject({ agent });

export const UPDATED_AGENT = closedObject(
  { agent },
  {
    closedSessions: {
      ...count,
      description: 'Present when the agent left the machine: sessions that it cannot continue',
    },
    hiddenMemories: {
      ...count,
      description: 'Present when the agent left the machine: memories that it is shown no more',
    },
  },
);

export const AGENTS = pageSchema('agents', agent);
