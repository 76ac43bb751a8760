import type { JsonObject } from '@bufbuild/protobuf';
import { readFigures } from './company-figures.ts';
import type { CompanyState } from './company-state.ts';
import { openCompany } from './open-company.ts';
import { outlineCompany } from './outline-company.ts';

export type ReadCompany = {
  readonly company: CompanyState;
  /** What was not given, or not believed, and is taken for granted; sentences. */
  readonly assumptions: readonly string[];
  /** Members that the model does not know, as they were given: shown in every companyState. */
  readonly unknown: JsonObject;
};

/**
 * The company that a caller describes, complete. Throws INVALID_REQUEST with `param`
 * `companyBase.<key>` for what cannot be, or contradicts itself.
 */
export const readCompanyBase = (base: JsonObject): ReadCompany => {
  const given = readFigures(base);
  const assumptions: string[] = [];
  const assume = (sentence: string): void => void assumptions.push(sentence);
  const company = openCompany(outlineCompany(given, assume), assume);
  return { company, assumptions, unknown: given.unknown };
};
