import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import {
  historyQuery,
  reportQuery,
  simulationQuery,
  simulationsQuery,
} from './simulations-query.ts';
import { readView } from './view.ts';

export const simulationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/simulations',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(simulationsQuery),
  component: lazyRouteComponent(() => import('./simulations.tsx'), 'Simulations'),
});

export const newSimulationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/simulations/new',
  component: lazyRouteComponent(() => import('./new-simulation.tsx'), 'NewSimulation'),
});

export const simulationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/simulations/$simulationId',
  validateSearch: readView,
  loader: ({ context, params: { simulationId } }) => {
    void context.queryClient.prefetchQuery(simulationQuery(simulationId));
    void context.queryClient.prefetchQuery(historyQuery(simulationId));
  },
  component: lazyRouteComponent(() => import('./simulation-detail.tsx'), 'SimulationDetail'),
});

export const reportRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/simulations/$simulationId/report',
  loader: ({ context, params: { simulationId } }) => {
    void context.queryClient.prefetchQuery(simulationQuery(simulationId));
    void context.queryClient.prefetchQuery(historyQuery(simulationId));
    void context.queryClient.prefetchQuery(reportQuery(simulationId));
  },
  component: lazyRouteComponent(() => import('./report.tsx'), 'Report'),
});
