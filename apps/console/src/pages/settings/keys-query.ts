import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import { isStatus } from '../../api/api-error.ts';
import type { components } from '../../gen/api.ts';

export type ApiKey = components['schemas']['ListApiKeysAnswer']['apiKeys'][number];
export type Scope = ApiKey['scopes'][number];

/** All keys of the workspace, newest first, revoked ones too. */
export const keysQuery = infiniteQueryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ pageParam, signal }) =>
    dataOf(api.GET('/v1/api-keys', { params: { query: { cursor: pageParam } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

export type NewKey = { name: string; scopes: Scope[]; expiresAt: string | null };

/** A key of the workspace: a key is made with one, and not by the session, which it outlives. */
type Confirmed = { ownKey: string };

export const createKey = ({ ownKey, ...body }: NewKey & Confirmed) =>
  withKey(ownKey, (headers) => dataOf(api.POST('/v1/api-keys', { body, headers })));

type Rotation = { id: string; immediately: boolean } & Confirmed;

export const rotateKey = ({ id, immediately, ownKey }: Rotation) =>
  withKey(ownKey, (headers) => {
    const params = { path: { id } };
    return dataOf(api.POST('/v1/api-keys/{id}/rotate', { params, body: { immediately }, headers }));
  });

/** Makes a call with a key. Throws if the workspace of the session has no such valid key. */
const withKey = async <Output>(
  key: string,
  run: (headers: Record<string, string>) => Promise<Output>,
): Promise<Output> => {
  await verifyOwnKey(key);
  return await run({ 'x-api-key': key }).catch((error: unknown) => {
    // Not an ApiError, because 401 would mean that the session has ended.
    throw isStatus(error, 401) ? new Error('Your API key is not valid.') : error;
  });
};

/** Throws for a key of another workspace, which would make a key there. */
const verifyOwnKey = async (key: string): Promise<void> => {
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const params = { query: { cursor, limit: 500 } };
    const page: { apiKeys: ApiKey[]; nextCursor?: string } = await dataOf(
      api.GET('/v1/api-keys', { params }),
    );
    if (page.apiKeys.some(({ prefix }) => key.startsWith(prefix))) return;
    cursor = page.nextCursor;
  }
  throw new Error('Your API key is not one of this workspace.');
};

export const revokeKey = (id: string) =>
  dataOf(api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } }));
