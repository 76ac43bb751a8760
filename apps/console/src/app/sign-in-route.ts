import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from './root-route.ts';

type SignInSearch = { next?: string };

/** `next` is the address within the console to open after the sign-in. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): SignInSearch =>
    typeof next === 'string' && /^\/(?!\/)/.test(next) ? { next } : {},
  component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn'),
});
