import type { FactService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { FACT, FACTS } from './extracted-data-schema.ts';
import { PLAIN_TEXT } from '../../http/text-pattern.ts';
import { FACT_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';

type Facts = Client<typeof FactService>;
type Query = { source?: string; category?: string; limit?: number };

const LIST_DEFAULT = 100;
const LIST_MAX = 500;
const NAME_LENGTH_MAX = 200;

const shared = { surface: 'native', tag: 'Completion layer' } as const;
const factRouteProps = {
  ...shared,
  path: '/v1/ai/extracted-data/{id}',
} as const;
const name = { type: 'string', maxLength: NAME_LENGTH_MAX, pattern: PLAIN_TEXT } as const;
const notFoundError = DOCUMENTED_ERROR.native('No such fact in this workspace');

export const factsRoute = (facts: Facts): Route => ({
  ...shared,
  id: 'listExtractedData',
  method: 'get',
  path: '/v1/ai/extracted-data',
  summary: 'Extracted facts, newest first; of a source, of a category',
  scopes: ['ai', 'ai:read'],
  query: {
    source: { ...name, description: 'Facts of chats have agent_chat:<agent id>' },
    category: name,
    limit: { type: 'integer', minimum: 1, maximum: LIST_MAX },
  },
  responses: {
    200: { description: 'The facts', schema: FACTS },
    400: DOCUMENTED_ERROR.native('limit is out of range'),
  },
  handle: async (call) => {
    const { source = '', category = '', limit = LIST_DEFAULT } = call.query as Query;
    const found = await facts.listFacts({ source, category, limit }, optionsOf(call));
    return reply(200, FACTS, { data: found.facts, count: found.facts.length });
  },
});

export const factRoute = (facts: Facts): Route => ({
  ...factRouteProps,
  id: 'getExtractedData',
  method: 'get',
  summary: 'One extracted fact',
  scopes: ['ai', 'ai:read'],
  responses: { 200: { description: 'The fact', schema: FACT }, 404: notFoundError },
  handle: async (call) => {
    const { fact } = await facts.getFact({ id: FACT_ID.read(call.params.id) }, optionsOf(call));
    return reply(200, FACT, { data: fact });
  },
});

export const deleteFactRoute = (facts: Facts): Route => ({
  ...factRouteProps,
  id: 'deleteExtractedData',
  method: 'delete',
  summary: 'Delete an extracted fact',
  scopes: ['ai'],
  responses: { 204: { description: 'It is gone' }, 404: notFoundError },
  handle: async (call) => {
    await facts.deleteFact({ id: FACT_ID.read(call.params.id) }, optionsOf(call));
    return { status: 204 };
  },
});
