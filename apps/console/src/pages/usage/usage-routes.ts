import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { balanceQuery, entriesQuery } from './usage-query.ts';
import { readUsageSearch } from './usage-search.ts';

export const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/usage',
  validateSearch: readUsageSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(balanceQuery),
  component: lazyRouteComponent(() => import('./usage.tsx'), 'UsagePage'),
});

export const entriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/usage/entries',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(entriesQuery),
  component: lazyRouteComponent(() => import('./entries.tsx'), 'Entries'),
});
