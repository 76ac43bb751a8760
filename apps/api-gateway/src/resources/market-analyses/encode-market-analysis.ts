import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { AnalyzeMarketEvent, MarketAnalysis } from '@witan/contracts';
import { toEventFrame } from '../../http/event-stream.ts';
import type { RouteCall } from '../../http/route.ts';
import { encodeTokenUsage } from '../encode-token-usage.ts';

export const encodeListedAnalysis = ({ id, query, depth, createdAt }: MarketAnalysis) => ({
  id,
  query,
  depth,
  createdAt: timestampDate(createdAt!).toISOString(),
});

/** Encodes a stored analysis. Its JSON text is unchanged, because the certificate commits to it. */
export const encodeMarketAnalysis = (found: MarketAnalysis) => ({
  ...encodeListedAnalysis(found),
  analysis: JSON.parse(found.analysis) as object,
  proofs: found.proofIds,
});

export const encodeCreatedAnalysis = (created: MarketAnalysis) => ({
  ...encodeMarketAnalysis(created),
  finishReason: created.finishReason,
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

const ANALYSIS_ID = /^mka_[0-9A-Za-z]{1,64}$/;

export const isAnalysisId = (text: string): boolean => ANALYSIS_ID.test(text);

export const readAnalysisId = ({ params }: Pick<RouteCall, 'params'>): string => {
  if (isAnalysisId(params.id!)) return params.id!;
  throw notFound('There is no such market analysis in this workspace.');
};
