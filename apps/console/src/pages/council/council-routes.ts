import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { conversationQuery, conversationsQuery } from './conversations-query.ts';

export const councilRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/council',
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(conversationsQuery),
  component: lazyRouteComponent(() => import('./council.tsx'), 'Council'),
});

export const conversationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/council/$conversationId',
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(conversationQuery(params.conversationId)),
  component: lazyRouteComponent(() => import('./conversation.tsx'), 'ConversationPage'),
});
