import type { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { KNOWLEDGE_QUERY, PASSAGES } from './knowledge-schema.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Knowledge = Client<typeof KnowledgeService>;

export const searchKnowledgeRoute = (knowledge: Knowledge): Route => ({
  path: '/v1/knowledge/search',
  surface: 'native',
  tag: 'Knowledge',
  id: 'searchKnowledge',
  method: 'post',
  summary: 'Find passages by their words, the best first',
  scopes: ['knowledge', 'knowledge:read'],
  body: KNOWLEDGE_QUERY,
  responses: {
    200: { description: 'The passages; none when nothing was found', schema: PASSAGES },
    400: DOCUMENTED_ERROR.native('query is empty or too long, or a source is not there'),
  },
  handle: async (call) => {
    const { query, sourceIds, limit } = call.body as Static<typeof KNOWLEDGE_QUERY>;
    const found = await knowledge.search({ query, sourceIds, limit }, optionsOf(call));
    return reply(200, PASSAGES, found);
  },
});
