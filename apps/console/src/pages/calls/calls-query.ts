import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components, paths } from '../../gen/api.ts';
import { toInstants } from '../../ui/day.ts';
import type { DayRange } from '../../ui/day.ts';
import { fromOfPeriod } from './period.ts';
import type { Period } from './period.ts';

export type Call = components['schemas']['ListCallsAnswer']['calls'][number];
type CallsParameters = NonNullable<paths['/v1/calls']['get']['parameters']['query']>;

/** The filters of the list of calls, as in its address: a period or a range of days. */
export type CallFilters = Pick<
  CallsParameters,
  'agent' | 'provider' | 'egressModel' | 'keyId' | 'finishReason'
> &
  Partial<DayRange> & { period?: Period };

const PAGE = 200;

/** The calls that match all filters, newest first. */
export const callsQuery = (filters: CallFilters) =>
  infiniteQueryOptions({
    queryKey: ['calls', filters],
    queryFn: ({ pageParam: cursor, signal }) => {
      const { period: _period, from: _from, to: _to, ...members } = filters;
      const query = { ...members, ...timesOf(filters), limit: PAGE, cursor };
      return dataOf(api.GET('/v1/calls', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** Days are in the reader's zone; a period ends now. */
const timesOf = ({ period, from, to }: CallFilters) => {
  if (from && to) return toInstants({ from, to });
  return period ? { from: fromOfPeriod(period, new Date()) } : {};
};

/** The certificates at the position before this one, at it and after it, if they exist. */
export const neighborsQuery = (chainIndex: number) =>
  queryOptions({
    queryKey: ['neighbors', chainIndex],
    queryFn: async ({ signal }) => {
      const query = { fromIndex: Math.max(0, chainIndex - 1), limit: 3 };
      const { proofs } = await dataOf(api.GET('/v1/proofs', { params: { query }, signal }));
      const at = (index: number) => proofs.find(({ payload }) => payload.chainIndex === index);
      return { previous: at(chainIndex - 1), next: at(chainIndex + 1) };
    },
  });

/** What is recorded beside the certificate: its key, duration and cost. */
export const recordQuery = ({ id, issuedAt }: { id: string; issuedAt: string }) =>
  queryOptions({
    queryKey: ['call-record', id],
    queryFn: async ({ signal }) => {
      const query = { from: issuedAt, to: issuedAt };
      const { calls } = await dataOf(api.GET('/v1/calls', { params: { query }, signal }));
      return calls.find(({ proofId }) => proofId === id) ?? null;
    },
    staleTime: Infinity,
  });

export const publicKeysQuery = queryOptions({
  queryKey: ['public-keys'],
  queryFn: ({ signal }) =>
    dataOf(api.GET('/v1/gateway/public-key', { parseAs: 'text', signal } as const)),
});
