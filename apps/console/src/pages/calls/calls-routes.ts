import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { certificateQuery } from '../../proof/certificate-query.ts';
import { readCallFilters } from './call-filters.ts';
import { callsQuery } from './calls-query.ts';

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

export type ChainSearch = { from?: number | undefined; to?: number | undefined };

const isPosition = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

export const chainRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calls/chain',
  validateSearch: ({ from, to }: Record<string, unknown>): ChainSearch => ({
    ...(isPosition(from) ? { from } : {}),
    ...(isPosition(to) ? { to } : {}),
  }),
  component: lazyRouteComponent(() => import('./chain.tsx'), 'Chain'),
});
