import { EVENT_NAMES } from '@witan/contracts';
import type { EventName } from '@witan/contracts';
import type { JsonSchema } from '../../http/route.ts';
import { closedObject, count, flag, share, text, texts } from '../../http/schema.ts';

type WebhookEvent = {
  name: EventName;
  description: string;
  schema: JsonSchema;
  example: object;
};

const instant = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  description: 'ISO 8601 with milliseconds',
} as const;

const EXAMPLE_WEBHOOK = 'whk_06EzcOXTGcXn0bMVXKtBvA';
const EXAMPLE_TIME = '2026-11-20T09:30:00.000Z';

type Description = {
  description: string;
  data: Readonly<Record<string, JsonSchema>>;
  example: Readonly<Record<string, unknown>>;
};

/** Descriptions of all webhook events. The type requires one for every event name. */
const DESCRIPTIONS: Readonly<Record<EventName, Description>> = {
  'debate.synthesized': {
    description:
      'A message of a conversation was debated by the council and a synthesis was produced',
    data: {
      conversationId: text,
      synthesis: text,
      debateId: text,
      convergenceScore: share,
      rounds: count,
      fromTemplate: flag,
      templateReason: {
        enum: ['', 'no_provider', 'unavailable', 'form', 'incomplete', 'numbers', 'votes'],
      },
    },
    example: {
      conversationId: 'cnv_06EzcOXTGcXn0bMVXKtBvB',
      synthesis: 'The council recommends to enter the market with a pilot in one city.',
      debateId: 'dbt_06EzcOXTGcXn0bMVXKtBvD',
      convergenceScore: 0.8889,
      rounds: 2,
      fromTemplate: false,
      templateReason: '',
    },
  },
  'simulation.tick.completed': {
    description: 'One turn of a simulation advanced: one state for each active scenario',
    data: { simulationId: text, turn: count, stateCount: count },
    example: { simulationId: 'sim_06EzcOXTGcXn0bMVXKtBvC', turn: 3, stateCount: 2 },
  },
  'simulation.report.ready': {
    description: 'A simulation was finalized; its report can be retrieved',
    data: { simulationId: text, name: text, turnsCompleted: count },
    example: {
      simulationId: 'sim_06EzcOXTGcXn0bMVXKtBvC',
      name: 'Expansion to the north',
      turnsCompleted: 8,
    },
  },
  'mcp.server.changed': {
    description:
      'An MCP server lists other tools than before; agents are not offered the changed ones ' +
      'until they are accepted',
    data: { serverId: text, name: text, added: texts, changed: texts, removed: texts },
    example: {
      serverId: 'mcs_06EzcOXTGcXn0bMVXKtBvE',
      name: 'tickets',
      added: [],
      changed: ['tickets__search'],
      removed: [],
    },
  },
  'mcp.tool.called': {
    description: 'An agent, or a test, called a tool of an MCP server; without what was exchanged',
    data: {
      serverId: text,
      toolId: text,
      name: text,
      status: { enum: ['ok', 'error', 'timeout'] },
      durationMs: { type: 'number', minimum: 0 },
    },
    example: {
      serverId: 'mcs_06EzcOXTGcXn0bMVXKtBvE',
      toolId: 'tol_06EzcOXTGcXn0bMVXKtBvF',
      name: 'tickets__search',
      status: 'ok',
      durationMs: 212.4,
    },
  },
  'webhook.test': {
    description: 'Somebody called the test endpoint of this webhook',
    data: { webhookId: text, message: text, timestamp: instant },
    example: {
      webhookId: EXAMPLE_WEBHOOK,
      message: 'This is a test. Your endpoint can receive events.',
      timestamp: EXAMPLE_TIME,
    },
  },
};

const describeEvent = (name: EventName): WebhookEvent => {
  const { description, data, example } = DESCRIPTIONS[name];
  return {
    name,
    description,
    schema: {
      type: 'object',
      required: ['event', 'data', 'timestamp', 'webhookId'],
      properties: {
        event: { const: name },
        data: { type: 'object', required: Object.keys(data), properties: data },
        timestamp: instant,
        webhookId: text,
      },
    },
    example: { event: name, data: example, timestamp: EXAMPLE_TIME, webhookId: EXAMPLE_WEBHOOK },
  };
};

export const WEBHOOK_EVENTS: readonly WebhookEvent[] = EVENT_NAMES.map(describeEvent);

export const WEBHOOK_EVENT_CATALOGUE = closedObject({
  events: {
    type: 'array',
    items: closedObject({
      name: text,
      description: text,
      schema: { type: 'object', description: 'JSON Schema (2020-12) of the posted body' },
      example: { type: 'object' },
    }),
  },
});

const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({
  description,
  schema,
});

export const describeDeliveries = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    WEBHOOK_EVENTS.map(({ name, description, schema, example }) => [
      name,
      {
        post: {
          operationId: `on.${name}`,
          summary: description,
          tags: ['Webhooks'],
          security: [],
          parameters: Object.entries(HEADERS).map(([field, headerDescription]) => ({
            name: field,
            in: 'header',
            required: true,
            ...headerDescription,
          })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema, example } },
          },
          responses: {
            '2XX': { description: 'Taken. Anything else, or 10 s without an end, is a failure' },
          },
        },
      },
    ]),
  );

const HEADERS: Readonly<Record<string, ReturnType<typeof header>>> = {
  'X-Service-Event': header('Name of the event'),
  'X-Service-Signature': header('HMAC-SHA256 of the raw body, keyed with the secret as shown', {
    type: 'string',
    pattern: '^sha256=[0-9a-f]{64}$',
  }),
  'X-Service-Delivery': header('A UUID of this attempt alone'),
  'webhook-id': header('Id of the delivery: the same in all of its attempts'),
  'webhook-timestamp': header('When it was sent, in seconds since the epoch'),
  'webhook-signature': header('As Standard Webhooks says; with two signatures after a rotation'),
};
