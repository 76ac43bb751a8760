import type { FactService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { Route } from '../../http/route.ts';
import { PLAIN_TEXT } from '../../http/text-pattern.ts';
import { PAGE_QUERY, readLimit } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { FACT_ID } from '../resource-id.ts';
import { FACT, FACTS } from './extracted-data-schema.ts';

const { get, remove } = nativeRoutes('Completion layer', 'ai');

const PATH = '/v1/ai/extracted-data/{id}';
const NAME_LENGTH_MAX = 200;
const name = { type: 'string', maxLength: NAME_LENGTH_MAX, pattern: PLAIN_TEXT } as const;

export const factRoutes = (facts: Client<typeof FactService>): Route[] => [
  get('/v1/ai/extracted-data', {
    id: 'listExtractedData',
    summary: 'Extracted facts, newest first; of a source, of a category',
    query: {
      source: { ...name, description: 'Facts of chats have agent_chat:<agent id>' },
      category: name,
      limit: PAGE_QUERY.limit,
    },
    returns: 'The facts',
    schema: FACTS,
    errors: { 400: 'limit is out of range' },
    run: async ({ query, options }) => {
      const { source = '', category = '' } = query as { source?: string; category?: string };
      const request = { source, category, limit: readLimit(query) };
      const found = await facts.listFacts(request, options);
      return { data: found.facts, count: found.facts.length };
    },
  }),
  get(PATH, {
    id: 'getExtractedData',
    summary: 'One extracted fact',
    ids: { id: FACT_ID },
    returns: 'The fact',
    schema: FACT,
    run: async ({ ids, options }) => ({ data: (await facts.getFact(ids, options)).fact }),
  }),
  remove(PATH, {
    id: 'deleteExtractedData',
    summary: 'Delete an extracted fact',
    ids: { id: FACT_ID },
    run: ({ ids, options }) => facts.deleteFact(ids, options),
  }),
];
