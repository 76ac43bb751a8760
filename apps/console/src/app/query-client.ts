import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isStatus } from '../api/api-error.ts';
import { endSession, sessionQuery } from './session.ts';

const FRESH_MS = 15_000;
const RETRIES = 2;

/**
 * Creates the cache of API responses. `onSignedOut` is called when a call is refused because the
 * session has ended.
 */
export const createQueryClient = (onSignedOut: () => void): QueryClient => {
  const onError = (error: unknown): void => {
    if (!isStatus(error, 401) || client.getQueryData(sessionQuery.queryKey) === undefined) return;
    endSession(client);
    onSignedOut();
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The API refuses a call for a reason that a retry does not change, except for 429 and 5xx.
        retry: (count, error) => count < RETRIES && !isFinal(error),
      },
    },
  });
  return client;
};

const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429;
