import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { canUse } from '../../app/session.ts';
import { shellRoute } from '../../app/shell-route.ts';
import { keysQuery } from './keys-query.ts';
import { SETTINGS_SECTIONS } from './settings-sections.ts';

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings.tsx'), 'Settings'),
});

/** Opens the first section that the key may use. */
export const settingsIndexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    const entry = SETTINGS_SECTIONS.find(({ scopes }) => canUse(session, scopes));
    throw redirect({ to: entry!.to });
  },
});

export const keysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/keys',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(keysQuery),
  component: lazyRouteComponent(() => import('./keys.tsx'), 'Keys'),
});

export const appearanceRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/appearance',
  component: lazyRouteComponent(() => import('./appearance.tsx'), 'Appearance'),
});
