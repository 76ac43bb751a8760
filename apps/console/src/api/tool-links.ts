import { api, dataOf } from './api.ts';

/** A tool of the workspace and an agent that may call it. */
type ToolLink = { toolId: string; agentId: string };

export const linkTool = ({ toolId, agentId }: ToolLink) =>
  dataOf(
    api.POST('/v1/agents/{id}/tools', { params: { path: { id: agentId } }, body: { toolId } }),
  );

export const unlinkTool = ({ toolId, agentId }: ToolLink) =>
  dataOf(
    api.DELETE('/v1/agents/{id}/tools/{toolId}', { params: { path: { id: agentId, toolId } } }),
  );

/** Key of the query of a tool with its agents. */
export const toolKey = (toolId: string) => ['tools', toolId] as const;

/** Key of the query of the tools that an agent may call. */
export const linkedToolsKey = (agentId: string) => ['agent', agentId, 'tools'] as const;

/** Keys of the queries that a new or a removed link makes outdated. */
export const keysOfLink = ({ toolId, agentId }: ToolLink) => [
  toolKey(toolId),
  linkedToolsKey(agentId),
];
