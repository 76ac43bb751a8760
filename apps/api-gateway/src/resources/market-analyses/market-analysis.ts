import type { AnalyzeMarketEvent, MarketAnalysis } from '@witan/contracts';
import type { MarketService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import { STREAM } from '../../http/route.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { streamEvents } from '../../server/stream-events.ts';
import {
  CERTIFIED_ERRORS,
  CERTIFIED_HEADERS,
  setProofHeaders,
  setProofsHeader,
  openProof,
} from '../certified-call.ts';
import { encodeCreatedAnalysis, encodeMarketEvent } from './encode-market-analysis.ts';
import { CREATED_MARKET_ANALYSIS, MARKET_ANALYSIS_REQUEST } from './market-analysis-schema.ts';
import type { Static } from '../../http/schema.ts';

type Markets = Client<typeof MarketService>;
type MarketCall = { markets: Markets; timeoutMs: number; streamed: boolean };

const shared = {
  method: 'post',
  surface: 'native',
  tag: 'Market analysis',
  scopes: ['market-analysis'],
  body: MARKET_ANALYSIS_REQUEST,
} as const;

export const marketAnalysisRoute = (markets: Markets, timeoutMs: number): Route => ({
  ...shared,
  id: 'analyzeMarket',
  path: '/v1/market-analysis',
  summary: 'Size, trends, competitors and recommendations of a market, as far as a model knows it',
  idempotent: true,
  responses: {
    200: {
      description:
        'The analysis, which is kept. No web is searched: what stands in it is what a model ' +
        'remembers, held against itself by code; `assumptions` says what was mended or left out. ' +
        '`x-service-proofs` lists the certificates of all model calls behind it',
      schema: CREATED_MARKET_ANALYSIS,
      headers: CERTIFIED_HEADERS,
    },
    ...CERTIFIED_ERRORS,
  },
  handle: async (call) =>
    await collectAnalysis(analyze(call, { markets, timeoutMs, streamed: false }), call),
});

export const marketAnalysisStreamRoute = (markets: Markets, timeoutMs: number): Route => ({
  ...shared,
  id: 'streamMarketAnalysis',
  path: '/v1/market-analysis/stream',
  summary: 'The same as it is written; a client that leaves ends it',
  wantsStream: () => true,
  responses: {
    200: {
      description:
        '`started` {id, model, proof}; then the answer as the model writes it: `section` {name} ' +
        'where the value of marketSize, trends, competitors, recommendations or assumptions ' +
        'begins, and `delta` {content} for each piece of its JSON text. That is a draft: nothing ' +
        'of it was held against anything, and a model that wrote no analysis is asked once more, ' +
        'unseen. At last `usage` with the tokens of all calls and `completed` with the analysis ' +
        'as the plain call answers it; or `error` as errors are answered elsewhere.',
      contentType: 'text/event-stream',
      schema: STREAM,
      headers: CERTIFIED_HEADERS,
    },
    ...CERTIFIED_ERRORS,
  },
  handle: async (call) => {
    const events = analyze(call, { markets, timeoutMs, streamed: true });
    await streamEvents(events, call, encodeMarketEvent);
    return undefined;
  },
});

async function* analyze(
  call: RouteCall,
  { markets, timeoutMs, streamed }: MarketCall,
): AsyncGenerator<AnalyzeMarketEvent> {
  const { query, depth = '' } = call.body as Static<typeof MARKET_ANALYSIS_REQUEST>;
  const request = { query, depth, streamed, ...openProof(call) };
  let isCompleted = false;
  for await (const event of markets.analyzeMarket(request, { ...optionsOf(call), timeoutMs })) {
    // If a heartbeat has sent the headers already, the client learns the certificate from the
    // `started` event only.
    if (event.event.case === 'started' && !call.response.headersSent) {
      setProofHeaders(call, event.event.value);
    }
    isCompleted = event.event.case === 'completed';
    yield event;
  }
  // Without the final event the analysis is incomplete, so it must not be returned as a shorter
  // one.
  if (!isCompleted)
    throw new Error('The stream of a market analysis ended without its final event');
}

const collectAnalysis = async (
  events: AsyncIterable<AnalyzeMarketEvent>,
  call: RouteCall,
): Promise<Reply> => {
  let model = '';
  let created: MarketAnalysis | undefined;
  for await (const { event } of events) {
    if (event.case === 'started') ({ model } = event.value);
    else if (event.case === 'completed') created = event.value;
  }
  const { proofIds } = created!;
  // The first proof id is that of the certificate of this analysis, also if a retry produced it.
  setProofHeaders(call, { proofId: proofIds[0]!, model });
  setProofsHeader(call, proofIds);
  return { status: 200, json: encodeCreatedAnalysis(created!) };
};
