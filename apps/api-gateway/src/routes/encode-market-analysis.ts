import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { AnalyzeMarketEvent, MarketAnalysis } from '@witan/contracts';
import { toEventFrame } from '../http/event-stream.ts';
import type { RouteCall } from '../http/route.ts';
import { encodeTokenUsage } from './encode-token-usage.ts';

/** An analysis as lists show it. */
export const encodeListedAnalysis = ({ id, query, depth, createdAt }: MarketAnalysis) => ({
  id,
  query,
  depth,
  createdAt: timestampDate(createdAt!).toISOString(),
});

/** One that is kept. Its JSON text comes out as it was certified: this only reads and writes it. */
export const encodeMarketAnalysis = (found: MarketAnalysis) => ({
  ...encodeListedAnalysis(found),
  analysis: JSON.parse(found.analysis) as object,
  proofs: found.proofIds,
});

/** One that was made just now (Seed 2.9). */
export const encodeAnalysed = (made: MarketAnalysis) => ({
  ...encodeMarketAnalysis(made),
  finishReason: made.finishReason,
  usage: encodeTokenUsage(made.usage),
});

/** What happens in an analysis as frames; empty for what a newer service may tell. */
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
      const made = encodeAnalysed(event.value);
      return toEventFrame('usage', made.usage) + toEventFrame('completed', made);
    }
    default:
      return '';
  }
};

const ANALYSIS_ID = /^mka_[0-9A-Za-z]{1,64}$/;

/** True for what may be the id of an analysis. */
export const isAnalysisId = (text: string): boolean => ANALYSIS_ID.test(text);

/** What cannot be the id of an analysis is one that nobody has. */
export const readAnalysisId = ({ params }: Pick<RouteCall, 'params'>): string => {
  if (isAnalysisId(params.id!)) return params.id!;
  throw notFound('There is no such market analysis in this workspace.');
};
