import type { AnalyzeMarketEvent, MarketAnalysis } from '@witan/contracts';
import { encodeAs } from '../../http/encode.ts';
import { toEventFrame } from '../../http/event-stream.ts';
import { encodeTokenUsage } from '../encode-token-usage.ts';
import { CREATED_MARKET_ANALYSIS, MARKET_ANALYSIS } from './market-analysis-schema.ts';

/** Encodes a stored analysis. Its JSON text is unchanged, because the certificate commits to it. */
export const encodeMarketAnalysis = (found: MarketAnalysis) =>
  encodeAs(MARKET_ANALYSIS, found, {
    analysis: JSON.parse(found.analysis),
    proofs: found.proofIds,
  });

export const encodeCreatedAnalysis = (created: MarketAnalysis) =>
  encodeAs(CREATED_MARKET_ANALYSIS, created, {
    analysis: JSON.parse(created.analysis),
    proofs: created.proofIds,
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
