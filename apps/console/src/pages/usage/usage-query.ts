import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';
import type { DayRange } from '../../ui/day.ts';
import type { Grouping } from './usage-search.ts';

type Schemas = components['schemas'];
export type Usage = Schemas['GetUsageAnswer'];
export type UsageRow = Usage['usage'][number];
export type Entry = Schemas['ListEntriesAnswer']['entries'][number];

type Groups = DayRange & { groupBy: readonly Grouping[] };

const toQuery = ({ from, to, groupBy }: Groups) => ({ from, to, groupBy: groupBy.join(',') });

export const usageQuery = (groups: Groups) =>
  queryOptions({
    queryKey: ['usage', groups],
    // The type is unknown, because the document has CSV beside JSON.
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/usage', { params: { query: toQuery(groups) }, signal }),
      ) as Promise<Usage>,
  });

/** The same sums as a file. */
export const readUsageCsv = (groups: Groups): Promise<Blob> =>
  dataOf(
    api.GET('/v1/usage', {
      params: { query: { ...toQuery(groups), format: 'csv' } },
      parseAs: 'blob',
    }),
  );

export const balanceQuery = queryOptions({
  queryKey: ['ledger', 'balance'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/v1/ledger/balance', { signal }))).balance,
});

const PAGE = 200;

/** The entries of the account, newest first. */
export const entriesQuery = infiniteQueryOptions({
  queryKey: ['ledger', 'entries'],
  queryFn: ({ pageParam: cursor, signal }) =>
    dataOf(api.GET('/v1/ledger/entries', { params: { query: { limit: PAGE, cursor } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});
