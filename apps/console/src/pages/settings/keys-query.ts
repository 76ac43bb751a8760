import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
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

export const createKey = (body: NewKey) => dataOf(api.POST('/v1/api-keys', { body }));

export const rotateKey = ({ id, immediately }: { id: string; immediately: boolean }) =>
  dataOf(api.POST('/v1/api-keys/{id}/rotate', { params: { path: { id } }, body: { immediately } }));

export const revokeKey = (id: string) =>
  dataOf(api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } }));
