import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { isStatus } from '../api/api-error.ts';
import { rootRoute } from './root-route.ts';
import { sessionQuery } from './session.ts';

/** The frame of all pages that need a session; its children are the pages. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    try {
      return { session: await context.queryClient.ensureQueryData(sessionQuery) };
    } catch (error) {
      if (!isStatus(error, 401) && !isStatus(error, 404)) throw error;
      throw redirect({ to: '/sign-in', search: { next: location.href } });
    }
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
});
