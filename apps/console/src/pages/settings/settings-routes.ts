import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { canUse } from '../../app/session.ts';
import { shellRoute } from '../../app/shell-route.ts';
import { readAuditFilters } from './audit/audit-filters.ts';
import { auditQuery } from './audit/audit-query.ts';
import { keysQuery } from './keys-query.ts';
import { providersQuery } from '../../app/providers-query.ts';
import { SETTINGS_SECTIONS } from './settings-sections.ts';
import { toolQuery, toolsQuery } from './tools/tools-query.ts';
import { deliveriesQuery, webhookQuery, webhooksQuery } from './webhooks/webhooks-query.ts';
import { workspaceQuery } from './workspace-query.ts';

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

export const webhooksRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(webhooksQuery),
  component: lazyRouteComponent(() => import('./webhooks/webhooks.tsx'), 'Webhooks'),
});

export const webhookRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks/$webhookId',
  loader: ({ context, params: { webhookId } }) => {
    void context.queryClient.prefetchQuery(webhookQuery(webhookId));
    void context.queryClient.prefetchQuery(deliveriesQuery(webhookId));
  },
  component: lazyRouteComponent(() => import('./webhooks/webhook-detail.tsx'), 'WebhookDetail'),
});

export const toolsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/tools',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(toolsQuery),
  component: lazyRouteComponent(() => import('./tools/tools.tsx'), 'Tools'),
});

export const toolRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/tools/$toolId',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(toolQuery(params.toolId)),
  component: lazyRouteComponent(() => import('./tools/tool-detail.tsx'), 'ToolDetail'),
});

export const modelsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/models',
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(workspaceQuery);
    void context.queryClient.prefetchQuery(providersQuery);
  },
  component: lazyRouteComponent(() => import('./models/models.tsx'), 'Models'),
});

export const privacyRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/privacy',
  loader: ({ context }) => void context.queryClient.prefetchQuery(workspaceQuery),
  component: lazyRouteComponent(() => import('./privacy/privacy.tsx'), 'PrivacyPage'),
});

export const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/audit',
  validateSearch: readAuditFilters,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(auditQuery(deps)),
  component: lazyRouteComponent(() => import('./audit/audit.tsx'), 'AuditLog'),
});
