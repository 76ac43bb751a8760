import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { settingsRoute } from '../settings-routes.ts';
import { mcpServersQuery } from './mcp-servers-query.ts';

export const mcpServersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/mcp-servers',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(mcpServersQuery),
  component: lazyRouteComponent(() => import('./mcp-servers.tsx'), 'McpServers'),
});
