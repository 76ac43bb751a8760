import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { agentQuery, agentsQuery } from './agents-query.ts';
import { sourcesQuery } from './knowledge-query.ts';
import { linkedToolsQuery } from './linked-tools-query.ts';
import { memoriesQuery } from './memories-query.ts';
import { sessionQuery, sessionsQuery } from './sessions-query.ts';

export const agentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/agents',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(agentsQuery),
  component: lazyRouteComponent(() => import('./agents.tsx'), 'Agents'),
});

export const newAgentRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/agents/new',
  component: lazyRouteComponent(() => import('./new-agent.tsx'), 'NewAgent'),
});

/** The frame of the pages of one agent. */
export const agentRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/agents/$agentId',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(agentQuery(params.agentId)),
  component: lazyRouteComponent(() => import('./agent-frame.tsx'), 'AgentFrame'),
});

export const personaRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./persona.tsx'), 'Persona'),
});

export const chatRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: '/chat',
  validateSearch: ({ session }: Record<string, unknown>): { session?: string } =>
    typeof session === 'string' && session !== '' ? { session } : {},
  loaderDeps: ({ search: { session } }) => ({ session }),
  loader: ({ context: { queryClient }, params: { agentId }, deps: { session } }) => {
    void queryClient.prefetchInfiniteQuery(sessionsQuery(agentId));
    if (session !== undefined) void queryClient.prefetchQuery(sessionQuery(agentId, session));
  },
  component: lazyRouteComponent(() => import('./chat.tsx'), 'Chat'),
});

export const memoriesRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: '/memories',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchInfiniteQuery(memoriesQuery(params.agentId)),
  component: lazyRouteComponent(() => import('./memories.tsx'), 'Memories'),
});

export const agentToolsRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: '/tools',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(linkedToolsQuery(params.agentId)),
  component: lazyRouteComponent(() => import('./agent-tools.tsx'), 'AgentTools'),
});

export const documentsRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: '/documents',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(sourcesQuery(params.agentId)),
  component: lazyRouteComponent(() => import('./documents.tsx'), 'Documents'),
});
