import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { ExtractedFact, ExtractedFactView } from '@witan/contracts';
import type { RouteCall } from '../../http/route.ts';

export const encodeFact = (fact: ExtractedFact) => ({
  id: fact.id,
  source: fact.source,
  category: fact.category,
  key: fact.key,
  value: fact.value,
  confidence: fact.confidence,
  createdAt: timestampDate(fact.createdAt!).toISOString(),
});

export const encodeFactView = ({ category, key, value, confidence }: ExtractedFactView) => ({
  category,
  key,
  value,
  confidence,
});

const FACT_ID = /^fct_[0-9A-Za-z]{1,64}$/;

export const readFactId = ({ params }: RouteCall): string => {
  if (FACT_ID.test(params.id!)) return params.id!;
  throw notFound('There is no such fact in this workspace.');
};
