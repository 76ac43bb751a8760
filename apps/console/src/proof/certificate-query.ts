import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import type { components } from '../gen/api.ts';

export type Certificate = components['schemas']['Certificate'];

/** The certificate as text, so that it is verified as it was sent. */
export const certificateQuery = (id: string) =>
  queryOptions({
    queryKey: ['certificate', id],
    queryFn: ({ signal }) => {
      const options = { params: { path: { id } }, parseAs: 'text', signal } as const;
      return dataOf(api.GET('/v1/proofs/{id}', options));
    },
    staleTime: Infinity,
  });
