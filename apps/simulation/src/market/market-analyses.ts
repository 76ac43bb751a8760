import { invalidRequest } from '@witan/contracts';
import { noSuchAnalysis } from './market-analysis.ts';
import type { MarketAnalysis, MarketStore } from './market-analysis.ts';

export type MarketAnalyses = {
  list: (
    workspaceId: string,
    page: { limit: number; cursor: string },
  ) => Promise<{
    analyses: Omit<MarketAnalysis, 'analysis' | 'proofIds'>[];
    nextCursor: string;
  }>;
  get: (workspaceId: string, id: string) => Promise<MarketAnalysis>;
};

const LIMIT_MAX = 500;

export const createMarketAnalyses = (
  store: Pick<MarketStore, 'list' | 'find'>,
): MarketAnalyses => ({
  list: async (workspaceId, { limit, cursor }) => {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw invalidRequest(`limit must be from 1 to ${LIMIT_MAX}.`, { param: 'limit' });
    }
    const after = cursor === '' ? {} : { after: cursor };
    const found = await store.list(workspaceId, { limit: limit + 1, ...after });
    const analyses = found.slice(0, limit);
    return { analyses, nextCursor: found.length > limit ? analyses.at(-1)!.id : '' };
  },
  get: async (workspaceId, id) => {
    const found = await store.find(workspaceId, id);
    if (!found) throw noSuchAnalysis();
    return found;
  },
});
