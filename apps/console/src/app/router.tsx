import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { Skeleton } from '../ui/page-state.tsx';
import {
  appearanceRoute,
  auditRoute,
  keysRoute,
  modelsRoute,
  privacyRoute,
  settingsIndexRoute,
  settingsRoute,
  toolRoute,
  toolsRoute,
  webhookRoute,
  webhooksRoute,
} from '../pages/settings/settings-routes.ts';
import { mcpServersRoute } from '../pages/settings/mcp/mcp-routes.ts';
import {
  agentRoute,
  agentsRoute,
  agentToolsRoute,
  chatRoute,
  documentsRoute,
  memoriesRoute,
  newAgentRoute,
  personaRoute,
} from '../pages/agents/agents-routes.ts';
import { callRoute, callsRoute, chainRoute } from '../pages/calls/calls-routes.ts';
import { conversationRoute, councilRoute } from '../pages/council/council-routes.ts';
import { analysesRoute, analysisRoute, newAnalysisRoute } from '../pages/market/market-routes.ts';
import { playgroundRoute } from '../pages/playground/playground-routes.ts';
import { entriesRoute, usageRoute } from '../pages/usage/usage-routes.ts';
import {
  newSimulationRoute,
  reportRoute,
  simulationRoute,
  simulationsRoute,
} from '../pages/simulations/simulations-routes.ts';
import { FailedPage, MissingPage } from './failed-page.tsx';
import { NAVIGATION } from './navigation.ts';
import { rootRoute } from './root-route.ts';
import type { RouterContext } from './root-route.ts';
import { canUse } from './session.ts';
import { shellRoute } from './shell-route.ts';
import { signInRoute } from './sign-in-route.ts';

/** Opens the first section that the key may use. */
const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    const entry = NAVIGATION.find(({ scopes }) => canUse(session, scopes));
    throw redirect({ to: entry?.to ?? '/settings' });
  },
});

/** Every other address, so that the navigation stays beside the message. */
const missingRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: MissingPage,
});

// One line per page.
const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    homeRoute,
    missingRoute,
    councilRoute,
    conversationRoute,
    agentsRoute,
    newAgentRoute,
    agentRoute.addChildren([
      personaRoute,
      chatRoute,
      memoriesRoute,
      agentToolsRoute,
      documentsRoute,
    ]),
    simulationsRoute,
    newSimulationRoute,
    simulationRoute,
    reportRoute,
    analysesRoute,
    newAnalysisRoute,
    analysisRoute,
    callsRoute,
    callRoute,
    chainRoute,
    playgroundRoute,
    usageRoute,
    entriesRoute,
    settingsRoute.addChildren([
      settingsIndexRoute,
      keysRoute,
      webhooksRoute,
      webhookRoute,
      toolsRoute,
      toolRoute,
      mcpServersRoute,
      modelsRoute,
      privacyRoute,
      auditRoute,
      appearanceRoute,
    ]),
  ]),
]);

export const createConsoleRouter = (
  queryClient: QueryClient,
  takeToken: RouterContext['takeToken'],
) =>
  createRouter({
    routeTree,
    basepath: '/console',
    context: { queryClient, takeToken },
    defaultPreload: 'intent',
    // Queries decide what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingComponent: Skeleton,
    defaultErrorComponent: FailedPage,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
