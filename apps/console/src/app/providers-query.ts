import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import type { components } from '../gen/api.ts';

export type Providers = components['schemas']['ProvidersAnswer'];

export const readProviders = (signal?: AbortSignal): Promise<Providers> =>
  dataOf(api.GET('/v1/workspace/providers', signal ? { signal } : {}));

/** The providers of the workspace, and the names of the operator's. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => readProviders(signal),
});
