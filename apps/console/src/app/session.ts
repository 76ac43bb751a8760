import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import type { components } from '../gen/api.ts';
import { grantsAny } from './scopes.ts';

export type Session = components['schemas']['CreateConsoleSessionAnswer']['session'];

/** The session of the cookie; fails with status 401 if there is none. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/v1/console/session', { signal }))).session,
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
});

/** Returns the session, which every page below the shell has. */
export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

export const canUse = (session: Session, scopes: readonly string[]): boolean =>
  grantsAny(session.scopes, scopes);

export const signIn = async (credential: { key: string } | { token: string }): Promise<Session> =>
  (await dataOf(api.POST('/v1/console/sessions', { body: credential }))).session;

let current = new AbortController();

/**
 * Returns the signal that is aborted when the session ends. A call that writes to the query cache
 * after it began takes it at its beginning, and writes nothing once it is aborted.
 */
export const sessionSignal = (): AbortSignal => current.signal;

/** Stops the calls of the session and clears its data, so that the next one finds none of it. */
export const endSession = (client: QueryClient): void => {
  current.abort();
  current = new AbortController();
  client.clear();
};

export const signOut = async (): Promise<void> => {
  await dataOf(api.DELETE('/v1/console/session'));
};
