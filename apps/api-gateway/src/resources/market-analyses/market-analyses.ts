import type { AnalyzeMarketEvent, MarketAnalysis } from '@witan/contracts';
import type { MarketService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { encodeAs } from '../../http/encode.ts';
import { STREAM } from '../../http/route.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { streamEvents, toEventFrame } from '../../server/stream-events.ts';
import {
  CERTIFIED_ERRORS,
  CERTIFIED_HEADERS,
  encodeTokenUsage,
  openProof,
  setProofHeaders,
  setProofsHeader,
} from '../certified-call.ts';
import { nativeRoutes } from '../native-routes.ts';
import type { NativeCall } from '../native-routes.ts';
import { ANALYSIS_ID } from '../resource-id.ts';
import {
  CREATED_MARKET_ANALYSIS,
  MARKET_ANALYSES,
  MARKET_ANALYSIS,
  MARKET_ANALYSIS_REQUEST,
} from './market-analysis-schema.ts';

type Input = Pick<NativeCall<typeof MARKET_ANALYSIS_REQUEST>, 'call' | 'body' | 'options'>;
type MarketCall = Input & { markets: Client<typeof MarketService>; streamed: boolean };

const { handled, list } = nativeRoutes('Market analysis', 'market-analysis');

export const marketRoutes = (markets: Client<typeof MarketService>, timeoutMs: number): Route[] => [
  handled('post', '/v1/market-analysis', {
    id: 'analyzeMarket',
    summary:
      'Size, trends, competitors and recommendations of a market, as far as a model knows it',
    body: MARKET_ANALYSIS_REQUEST,
    idempotent: true,
    responses: {
      200: {
        description:
          'The analysis, which is kept. No web is searched: what stands in it is what a model ' +
          'remembers, held against itself by code; `assumptions` says what was mended or left ' +
          'out. `x-service-proofs` lists the certificates of all model calls behind it',
        schema: CREATED_MARKET_ANALYSIS,
        headers: CERTIFIED_HEADERS,
      },
    },
    errors: CERTIFIED_ERRORS,
    handle: async ({ call, body, options }) => {
      const marketCall = { call, body, options: { ...options, timeoutMs } };
      return await collectAnalysis(analyze({ ...marketCall, markets, streamed: false }), call);
    },
  }),
  handled('post', '/v1/market-analysis/stream', {
    id: 'streamMarketAnalysis',
    summary: 'The same as it is written; a client that leaves ends it',
    body: MARKET_ANALYSIS_REQUEST,
    wantsStream: () => true,
    limitsStreams: true,
    responses: {
      200: {
        description: STREAM_DESCRIPTION,
        contentType: 'text/event-stream',
        schema: STREAM,
        headers: CERTIFIED_HEADERS,
      },
    },
    errors: CERTIFIED_ERRORS,
    handle: async ({ call, body, options }) => {
      const marketCall = { call, body, options: { ...options, timeoutMs } };
      const events = analyze({ ...marketCall, markets, streamed: true });
      await streamEvents(events, call, encodeMarketEvent);
      return undefined;
    },
  }),
  list('/v1/market-analysis', {
    id: 'listMarketAnalyses',
    summary: "List the workspace's market analyses, newest first",
    returns: 'The analyses, without what they say',
    schema: MARKET_ANALYSES,
    cursorId: ANALYSIS_ID,
    run: ({ page, options }) => markets.listMarketAnalyses(page, options),
  }),
  handled('get', '/v1/market-analysis/{id}', {
    id: 'getMarketAnalysis',
    summary: 'One market analysis, as it was answered',
    ids: { id: ANALYSIS_ID },
    responses: { 200: { description: 'The analysis', schema: MARKET_ANALYSIS } },
    handle: async ({ ids, options }) => {
      const { analysis } = await markets.getMarketAnalysis({ analysisId: ids.id }, options);
      const json = encodeAs(MARKET_ANALYSIS, analysis!, { analysis: readAnalysis(analysis!) });
      return { status: 200, json };
    },
  }),
];

const STREAM_DESCRIPTION =
  '`started` {id, model, proof}; then the answer as the model writes it: `section` {name} ' +
  'where the value of marketSize, trends, competitors, recommendations or assumptions ' +
  'begins, and `delta` {content} for each piece of its JSON text. That is a draft: nothing ' +
  'of it was held against anything, and a model that wrote no analysis is asked once more, ' +
  'unseen. At last `usage` with the tokens of all calls and `completed` with the analysis ' +
  'as the plain call answers it; or `error` as errors are answered elsewhere.';

async function* analyze({
  markets,
  call,
  body: { query, depth },
  options,
  streamed,
}: MarketCall): AsyncGenerator<AnalyzeMarketEvent> {
  const request = { query, depth: depth ?? '', streamed, ...openProof(call) };
  let isCompleted = false;
  for await (const event of markets.analyzeMarket(request, options)) {
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

/**
 * Returns the parsed content of an analysis. `JSON.stringify` gives the same text again, to which
 * the certificate commits.
 */
const readAnalysis = ({ analysis }: MarketAnalysis) => JSON.parse(analysis);

const encodeCreatedAnalysis = (created: MarketAnalysis) =>
  encodeAs(CREATED_MARKET_ANALYSIS, created, {
    analysis: readAnalysis(created),
    usage: encodeTokenUsage(created.usage),
  });

/**
 * Encodes an event of a running analysis as a server-sent event. Returns an empty text for an event
 * type that this version does not know.
 */
export const encodeMarketEvent = ({ event }: AnalyzeMarketEvent): string => {
  switch (event.case) {
    case 'started': {
      const { id, model, proofId } = event.value;
      return toEventFrame('started', { id, model, proof: proofId });
    }
    case 'section':
      return toEventFrame('section', { name: event.value });
    case 'delta':
      return toEventFrame('delta', { content: event.value });
    case 'completed': {
      const created = encodeCreatedAnalysis(event.value);
      return toEventFrame('usage', created.usage) + toEventFrame('completed', created);
    }
    default:
      return '';
  }
};
