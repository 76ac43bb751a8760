import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { analysesQuery, analysisQuery } from './market-query.ts';

export const analysesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/market',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(analysesQuery),
  component: lazyRouteComponent(() => import('./analyses.tsx'), 'Analyses'),
});

export const newAnalysisRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/market/new',
  component: lazyRouteComponent(() => import('./new-analysis.tsx'), 'NewAnalysis'),
});

export const analysisRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/market/$analysisId',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(analysisQuery(params.analysisId)),
  component: lazyRouteComponent(() => import('./analysis-detail.tsx'), 'AnalysisDetail'),
});
