import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell-route.ts';
import { isDialect } from './dialects.ts';
import type { DialectName } from './dialects.ts';
import { addressesQuery } from './playground-query.ts';

/** The settings that a link reproduces. Texts are not in the address, which browsers store. */
export type PlaygroundSearch = {
  model?: string;
  dialect?: DialectName;
  /** False for an answer in one piece. */
  stream?: false;
};

const readSearch = ({ model, dialect, stream }: Record<string, unknown>): PlaygroundSearch => ({
  ...(typeof model === 'string' && model !== '' ? { model } : {}),
  ...(isDialect(dialect) ? { dialect } : {}),
  ...(stream === false ? { stream } : {}),
});

export const playgroundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/playground',
  validateSearch: readSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(addressesQuery),
  component: lazyRouteComponent(() => import('./playground.tsx'), 'Playground'),
});
