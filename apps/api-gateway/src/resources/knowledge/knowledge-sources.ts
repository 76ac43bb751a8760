import type { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { NEW_SOURCE, SOURCE, SOURCES } from './knowledge-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { SOURCE_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Knowledge = Client<typeof KnowledgeService>;

const shared = { path: '/v1/knowledge/sources', surface: 'native', tag: 'Knowledge' } as const;
const one = {
  ...shared,
  path: '/v1/knowledge/sources/{id}',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such source in this workspace');

export const createSourceRoute = (knowledge: Knowledge): Route => ({
  ...shared,
  id: 'createKnowledgeSource',
  method: 'post',
  summary: 'Create a source: a collection of documents that agents can be given to read',
  scopes: ['knowledge'],
  body: NEW_SOURCE,
  idempotent: true,
  responses: {
    201: { description: 'The source', schema: SOURCE },
    400: DOCUMENTED_ERROR.native('name is missing, empty or too long'),
    409: DOCUMENTED_ERROR.native(
      'The name is taken (name_taken), the workspace has 100 sources (source_limit_reached), or ' +
        'a call with this Idempotency-Key runs or lost its answer',
    ),
  },
  handle: async (call) => {
    const { name, description } = call.body as Static<typeof NEW_SOURCE>;
    const draft = { name, description: description ?? '' };
    return reply(201, SOURCE, await knowledge.createSource(draft, optionsOf(call)));
  },
});

export const sourcesRoute = (knowledge: Knowledge): Route => ({
  ...shared,
  id: 'listKnowledgeSources',
  method: 'get',
  summary: "List the workspace's sources, newest first",
  scopes: ['knowledge', 'knowledge:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The sources', schema: SOURCES },
  },
  handle: async (call) => {
    const page = await knowledge.listSources(readPage(call, SOURCE_ID.is), optionsOf(call));
    return reply(200, SOURCES, page);
  },
});

export const sourceRoute = (knowledge: Knowledge): Route => ({
  ...one,
  id: 'getKnowledgeSource',
  method: 'get',
  summary: 'One source, with the agents that read it',
  scopes: ['knowledge', 'knowledge:read'],
  responses: { 200: { description: 'The source', schema: SOURCE }, 404: notFoundError },
  handle: async (call) => {
    const id = SOURCE_ID.read(call.params.id);
    return reply(200, SOURCE, await knowledge.getSource({ id }, optionsOf(call)));
  },
});

export const deleteSourceRoute = (knowledge: Knowledge): Route => ({
  ...one,
  id: 'deleteKnowledgeSource',
  method: 'delete',
  summary: 'Delete a source with its documents and links; nothing of it is found any more',
  scopes: ['knowledge'],
  responses: { 204: { description: 'It is gone' }, 404: notFoundError },
  handle: async (call) => {
    await knowledge.deleteSource({ id: SOURCE_ID.read(call.params.id) }, optionsOf(call));
    return { status: 204 };
  },
});
