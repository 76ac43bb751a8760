import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import { canUse, useSession } from './session.ts';

/** Most keys that one call of the API returns. */
const KEYS_MAX = 500;

const keyNamesQuery = queryOptions({
  queryKey: ['api-keys', 'names'],
  queryFn: async ({ signal }) => {
    const query = { limit: KEYS_MAX };
    const { apiKeys } = await dataOf(api.GET('/v1/api-keys', { params: { query }, signal }));
    return new Map(apiKeys.map(({ id, name }) => [id, name]));
  },
});

/**
 * Returns a function that finds the name of an API key by its id: one of the 500 newest keys, if
 * the session may list keys.
 */
export const useKeyNames = (): ((id: string) => string | undefined) => {
  const session = useSession();
  const { data } = useQuery({ ...keyNamesQuery, enabled: canUse(session, ['keys:read']) });
  return (id) => data?.get(id);
};
