import { readPage } from '@witan/contracts';
import type { Page, PageRequest } from '@witan/contracts';
import { noSuchAnalysis } from './market-analysis.ts';
import type { MarketAnalysis, MarketStore } from './market-analysis.ts';

export type MarketAnalyses = {
  list: (
    workspaceId: string,
    page: PageRequest,
  ) => Promise<Page<Omit<MarketAnalysis, 'analysis' | 'proofIds'>>>;
  get: (workspaceId: string, id: string) => Promise<MarketAnalysis>;
};

export const createMarketAnalyses = (
  store: Pick<MarketStore, 'list' | 'find'>,
): MarketAnalyses => ({
  list: (workspaceId, page) => readPage(page, (query) => store.list(workspaceId, query)),
  get: async (workspaceId, id) => {
    const found = await store.find(workspaceId, id);
    if (!found) throw noSuchAnalysis();
    return found;
  },
});
