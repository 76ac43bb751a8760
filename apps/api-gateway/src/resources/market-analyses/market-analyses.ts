import type { MarketService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { LimitStreams } from '../../server/limit-streams.ts';
import type { Route } from '../../http/route.ts';
import { encodeMarketAnalysis } from './encode-market-analysis.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { MARKET_ANALYSES, MARKET_ANALYSIS } from './market-analysis-schema.ts';
import { marketAnalysisRoute, marketAnalysisStreamRoute } from './market-analysis.ts';
import { ANALYSIS_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';

type Markets = Client<typeof MarketService>;

const shared = {
  method: 'get',
  surface: 'native',
  tag: 'Market analysis',
  scopes: ['market-analysis', 'market-analysis:read'],
} as const;

export const marketRoutes = (
  markets: Markets,
  timeoutMs: number,
  limitStreams: LimitStreams,
): Route[] => [
  marketAnalysisRoute(markets, timeoutMs),
  limitStreams(marketAnalysisStreamRoute(markets, timeoutMs)),
  marketAnalysesRoute(markets),
  readMarketAnalysisRoute(markets),
];

const marketAnalysesRoute = (markets: Markets): Route => ({
  ...shared,
  id: 'listMarketAnalyses',
  path: '/v1/market-analysis',
  summary: "List the workspace's market analyses, newest first",
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The analyses, without what they say', schema: MARKET_ANALYSES },
  },
  handle: async (call) => {
    const page = await markets.listMarketAnalyses(readPage(call, ANALYSIS_ID.is), optionsOf(call));
    return reply(200, MARKET_ANALYSES, page);
  },
});

const readMarketAnalysisRoute = (markets: Markets): Route => ({
  ...shared,
  id: 'getMarketAnalysis',
  path: '/v1/market-analysis/{id}',
  summary: 'One market analysis, as it was answered',
  responses: {
    200: { description: 'The analysis', schema: MARKET_ANALYSIS },
    404: DOCUMENTED_ERROR.native('No such market analysis in this workspace'),
  },
  handle: async (call) => {
    const request = { analysisId: ANALYSIS_ID.read(call.params.id) };
    const { analysis } = await markets.getMarketAnalysis(request, optionsOf(call));
    return { status: 200, json: encodeMarketAnalysis(analysis!) };
  },
});
