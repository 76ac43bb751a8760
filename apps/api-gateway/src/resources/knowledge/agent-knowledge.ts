import type { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { NEW_SOURCE_LINK, SOURCE_LINK } from './knowledge-schema.ts';
import { AGENT_ID, SOURCE_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';

type Knowledge = Client<typeof KnowledgeService>;

/**
 * Linking a source shows its content to all callers of the agent, so these routes need the scope
 * `knowledge`; `agents` alone is not enough.
 */
const shared = {
  path: '/v1/agents/{id}/knowledge',
  surface: 'native',
  tag: 'Knowledge',
} as const;
const notFoundError = DOCUMENTED_ERROR.native(
  'No such agent, or no such source, in this workspace',
);

export const linkSourceRoute = (knowledge: Knowledge): Route => ({
  ...shared,
  id: 'linkKnowledgeSource',
  method: 'post',
  summary: 'Let an agent read a source; harmless when it may already',
  scopes: ['knowledge'],
  body: NEW_SOURCE_LINK,
  responses: {
    200: { description: 'The agent reads it', schema: SOURCE_LINK },
    404: notFoundError,
  },
  handle: async (call) => {
    const agentId = AGENT_ID.read(call.params.id);
    const sourceId = SOURCE_ID.read(
      (call.body as Static<typeof NEW_SOURCE_LINK>).sourceId,
      'sourceId',
    );
    await knowledge.linkSource({ agentId, sourceId }, optionsOf(call));
    return { status: 200, json: { agentId, sourceId } };
  },
});

export const unlinkSourceRoute = (knowledge: Knowledge): Route => ({
  ...shared,
  id: 'unlinkKnowledgeSource',
  method: 'delete',
  path: '/v1/agents/{id}/knowledge/{sourceId}',
  summary: 'Take a source from an agent; the source stays, and so do its other links',
  scopes: ['knowledge'],
  responses: { 204: { description: 'The agent reads it no more' }, 404: notFoundError },
  handle: async (call) => {
    const agentId = AGENT_ID.read(call.params.id);
    const sourceId = SOURCE_ID.read(call.params.sourceId, 'sourceId');
    await knowledge.unlinkSource({ agentId, sourceId }, optionsOf(call));
    return { status: 204 };
  },
});
