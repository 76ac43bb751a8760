import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { readCallFilters } from './call-filters.ts';
import { callsQuery, certificateQuery } from './calls-query.ts';

export const callsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calls',
  validateSearch: readCallFilters,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(callsQuery(deps)),
  component: lazyRouteComponent(() => import('./calls.tsx'), 'Calls'),
});

export const callRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calls/$proofId',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(certificateQuery(params.proofId)),
  component: lazyRouteComponent(() => import('./call-detail.tsx'), 'CallDetail'),
});
