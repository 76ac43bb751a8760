import type { Route } from '../http/route.ts';
import { createAskCouncil } from './ask-council.ts';
import type { AskCouncilDeps } from './ask-council.ts';
import { createToolMethods } from './call-tool.ts';
import { createTaskMethods } from './debate-task.ts';
import { DISCOVER_METHODS, LEGACY_METHODS } from './handshake.ts';
import { mcpRoute } from './mcp-route.ts';
import type { McpRouteDeps } from './mcp-route.ts';
import { createPromptMethods } from './prompts.ts';
import { createResourceMethods } from './resources.ts';
import { createRouteTools } from './route-tools.ts';

type McpDeps = Omit<AskCouncilDeps, 'routeOf'> &
  Pick<McpRouteDeps, 'allowedOrigins'> & { routes: readonly Route[] };

/** Operations that resources, prompts and tasks need. */
const OTHER_OPERATIONS = ['getProof', 'followDebate', 'listAgents'];

/** Returns the MCP endpoint over the operations of the API. */
export const createMcpRoute = ({ routes, allowedOrigins, ...deps }: McpDeps): Route => {
  const routeOf = (id: string): Route => {
    const route = routes.find((one) => one.id === id);
    if (!route) throw new Error(`There is no operation ${id}`);
    return route;
  };
  const shared = { ...deps, routeOf };
  const tools = [createAskCouncil(shared), ...createRouteTools(shared)];
  const operations = [...tools, ...OTHER_OPERATIONS.map(routeOf)];
  const methods = {
    ...createToolMethods(tools),
    ...createResourceMethods(shared),
    ...createPromptMethods(shared),
  };
  return mcpRoute({
    scopes: [...new Set(operations.flatMap(({ scopes }) => scopes ?? []))],
    methods: {
      modern: { ...DISCOVER_METHODS, ...methods, ...createTaskMethods(shared) },
      legacy: { ...LEGACY_METHODS, ...methods },
    },
    allowedOrigins,
    log: deps.log,
  });
};
