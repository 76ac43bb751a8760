import type { JsonSchema } from '../../http/route.ts';
import { EXACT_NON_BLANK_TEXT, PROVIDER_NAME } from '../../http/text-pattern.ts';
import { WORKSPACE_PRIVACY } from './workspace-privacy-schema.ts';
import { closedObject, instant, readOnly, text } from '../../http/schema.ts';

const ALIASES_MAX = 200;
const TARGETS_MAX = 10;
const PROVIDERS_MAX = 50;
const WEIGHT_MAX = 1_000;
const NAME_LENGTH_MAX = 256;
const WORKSPACE_NAME_LENGTH_MAX = 200;
const URL_LENGTH_MAX = 2_048;
const KEY_LENGTH_MAX = 1_024;

const name = { type: 'string', minLength: 1, maxLength: NAME_LENGTH_MAX } as const;
const providerName = { type: 'string', pattern: PROVIDER_NAME } as const;
const dialect = { enum: ['chat-completions', 'messages', 'responses'] } as const;

const target = {
  type: 'object',
  required: ['provider', 'model'],
  properties: {
    provider: {
      ...providerName,
      description: "A provider: the workspace's own or the operator's",
    },
    model: name,
    weight: {
      type: 'integer',
      minimum: 0,
      maximum: WEIGHT_MAX,
      description: 'Share of the conversations that begin here; without any, the first target',
    },
  },
} as const;

const targetsOf = (minItems: number): JsonSchema => ({
  type: 'object',
  required: ['targets'],
  properties: {
    targets: { type: 'array', minItems, maxItems: TARGETS_MAX, items: target },
  },
});

const aliases = {
  type: 'object',
  description: 'Own names for models; targets best first',
  maxProperties: ALIASES_MAX,
  propertyNames: name,
  additionalProperties: targetsOf(1),
} as const;

const router = {
  type: 'object',
  description: "Behind service-agent and service-auto; without targets the operator's",
  properties: { full: targetsOf(0), cheap: targetsOf(0) },
} as const;

const memory = {
  type: 'object',
  description: 'What agents may remember; in a change {} puts the default back',
  properties: {
    globalWrites: {
      type: 'boolean',
      description:
        "Whether an agent's answers may write memories of the whole workspace, which they may by " +
        'default; else those become its own. Callers of the API may in any case',
    },
  },
} as const;

const responses = {
  type: 'object',
  description: 'Responses of `POST /v1/responses`; in a change {} puts the default back',
  properties: {
    storing: {
      type: 'boolean',
      description:
        'Whether they may be stored, which they are by default. If not, every call is one with ' +
        '`store: false`, for the provider, too, and one in the background is 400 ' +
        '(storing_forbidden); what is stored stays until it expires or is deleted',
    },
  },
} as const;

export const WORKSPACE_CHANGE = {
  type: 'object',
  properties: {
    id: readOnly,
    createdAt: readOnly,
    name: {
      type: 'string',
      maxLength: WORKSPACE_NAME_LENGTH_MAX,
      pattern: EXACT_NON_BLANK_TEXT,
    },
    aliases,
    router,
    privacy: WORKSPACE_PRIVACY,
    memory,
    responses,
  },
} as const;

export const WORKSPACE = closedObject({
  workspace: closedObject({
    id: text,
    name: text,
    createdAt: instant,
    aliases,
    router: { ...router, required: ['full', 'cheap'] },
    privacy: { ...WORKSPACE_PRIVACY, required: ['categories', 'terms', 'patterns'] },
    memory: { ...memory, required: ['globalWrites'], additionalProperties: false },
    responses: { ...responses, required: ['storing'], additionalProperties: false },
  }),
});

export const PROVIDERS_CHANGE = {
  type: 'object',
  required: ['providers'],
  properties: {
    operatorProviders: readOnly,
    providers: {
      type: 'array',
      maxItems: PROVIDERS_MAX,
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: providerName,
          dialect,
          baseUrl: {
            type: 'string',
            minLength: 1,
            maxLength: URL_LENGTH_MAX,
            description: "Public https URL; absent: the dialect's official one",
          },
          apiKey: {
            type: 'string',
            minLength: 1,
            maxLength: KEY_LENGTH_MAX,
            writeOnly: true,
            description: 'Absent: the kept one, while dialect and base URL stay as they are',
          },
          keyPreview: readOnly,
          updatedAt: readOnly,
        },
      },
    },
  },
} as const;

export const PROVIDERS = closedObject({
  providers: {
    type: 'array',
    items: closedObject({
      name: providerName,
      dialect,
      baseUrl: text,
      keyPreview: text,
      updatedAt: instant,
    }),
  },
  operatorProviders: { type: 'array', items: text },
});
