import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext } from '@tanstack/react-router';
import { Root } from './root.tsx';

export type RouterContext = { queryClient: QueryClient; takeToken: () => string | undefined };

export const rootRoute = createRootRouteWithContext<RouterContext>()({ component: Root });
