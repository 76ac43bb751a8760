import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type ListedAnalysis = Schemas['ListMarketAnalysesAnswer']['analyses'][number];
export type MarketAnalysis = Awaited<ReturnType<typeof readAnalysis>>;
export type Analysis = MarketAnalysis['analysis'];
export type MarketQuestion = Schemas['MarketQuestion'];
export type Depth = MarketAnalysis['depth'];

const PAGE = 50;

/** The market analyses of the workspace, newest first. */
export const analysesQuery = infiniteQueryOptions({
  queryKey: ['market-analyses'],
  queryFn: ({ pageParam: cursor, signal }) =>
    dataOf(api.GET('/v1/market-analysis', { params: { query: { limit: PAGE, cursor } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

const readAnalysis = (id: string, signal: AbortSignal) =>
  dataOf(api.GET('/v1/market-analysis/{id}', { params: { path: { id } }, signal }));

/** One analysis, which never changes. */
export const analysisQuery = (id: string) =>
  queryOptions({
    queryKey: ['market-analysis', id],
    queryFn: ({ signal }) => readAnalysis(id, signal),
    staleTime: Infinity,
  });

export const DEPTHS: Readonly<Record<Depth, { label: string; hint: string }>> = {
  quick: { label: 'Quick', hint: 'at most 3 items of each kind' },
  standard: { label: 'Standard', hint: 'at most 5 items of each kind' },
  comprehensive: { label: 'Comprehensive', hint: 'at most 8, with the parts of the market' },
};
