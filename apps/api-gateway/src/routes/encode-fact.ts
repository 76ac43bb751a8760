import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { ExtractedFact, ExtractedFactView } from '@witan/contracts';
import type { RouteCall } from '../http/route.ts';

/** A kept fact as the API shows it (Seed 2.5). */
export const encodeFact = (fact: ExtractedFact) => ({
  id: fact.id,
  source: fact.source,
  category: fact.category,
  key: fact.key,
  value: fact.value,
  confidence: fact.confidence,
  createdAt: timestampDate(fact.createdAt!).toISOString(),
});

/** A fact as the call that it was extracted in answers it (Seed 2.3). */
export const encodeFactView = ({ category, key, value, confidence }: ExtractedFactView) => ({
  category,
  key,
  value,
  confidence,
});

const FACT_ID = /^fct_[0-9A-Za-z]{1,64}$/;

/** What cannot be the id of a fact is one that nobody has. */
export const readFactId = ({ params }: RouteCall): string => {
  if (FACT_ID.test(params.id!)) return params.id!;
  throw notFound('There is no such fact in this workspace.');
};
