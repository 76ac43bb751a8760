import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import { linkedToolsKey } from '../../api/tool-links.ts';
import type { components } from '../../gen/api.ts';

export type Tool = components['schemas']['ToolsAnswer']['tools'][number];

/** As many tools as a workspace may have, so one page contains all. */
const TOOLS_MAX = 100;

/** The tools that the agent may call when they are active, newest first. */
export const linkedToolsQuery = (agentId: string) =>
  queryOptions({
    queryKey: linkedToolsKey(agentId),
    queryFn: async ({ signal }) => {
      const params = { path: { id: agentId }, query: { limit: TOOLS_MAX } };
      return (await dataOf(api.GET('/v1/agents/{id}/tools', { params, signal }))).tools;
    },
  });

/** All tools of the workspace, newest first. */
export const allToolsQuery = queryOptions({
  queryKey: ['tools', 'all'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: TOOLS_MAX } };
    return (await dataOf(api.GET('/v1/tools', { params, signal }))).tools;
  },
});
