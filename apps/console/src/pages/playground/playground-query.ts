import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { paths } from '../../gen/api.ts';
import type { CallRequest } from './call-request.ts';
import { dialectOf } from './dialects.ts';
import type { DialectName } from './dialects.ts';

type PreviewCall = paths['/v1/chat/completions/preview']['post'];
export type Preview = PreviewCall['responses'][200]['content']['application/json'];
type PreviewBody = PreviewCall['requestBody']['content']['application/json'];

/** Every address that the workspace can call, without those that a flag is added to. */
export const addressesQuery = queryOptions({
  queryKey: ['addresses'],
  queryFn: async ({ signal }) => {
    const { data } = await dataOf(api.GET('/v1/models', { signal }));
    return data.map(({ id }) => id);
  },
});

/**
 * What the provider would get for the call. It is not cached when no page shows it: it holds
 * the user's texts.
 */
export const previewQuery = (dialect: DialectName, request: CallRequest) =>
  queryOptions({
    queryKey: ['preview', dialect, request],
    queryFn: ({ signal }) => {
      const { path, toBody } = dialectOf(dialect);
      // The previews of all dialects have the same answer, and the server checks each body.
      const previewPath = `${path}/preview` as '/v1/chat/completions/preview';
      const body = toBody(request) as PreviewBody;
      return dataOf(api.POST(previewPath, { body, signal }));
    },
    enabled: request.model.trim() !== '' && request.user.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
