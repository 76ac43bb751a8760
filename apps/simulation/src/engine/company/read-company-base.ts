import type { JsonObject } from '@bufbuild/protobuf';
import { readFigures } from './company-figures.ts';
import type { CompanyState } from './company-state.ts';
import { openCompany } from './open-company.ts';
import { outlineCompany } from './outline-company.ts';

export type ReadCompany = {
  readonly company: CompanyState;
  readonly assumptions: readonly string[];
  /**
   * Members of `companyBase` that the engine does not know. They are shown unchanged in every
   * `companyState`.
   */
  readonly unknown: JsonObject;
};

/**
 * Returns the company at turn 0 that `companyBase` describes. Throws INVALID_REQUEST with `param`
 * `companyBase.<key>` if figures are impossible or contradict each other.
 */
export const readCompanyBase = (base: JsonObject): ReadCompany => {
  const statedFigures = readFigures(base);
  const assumptions: string[] = [];
  const assume = (sentence: string): void => void assumptions.push(sentence);
  const company = openCompany(outlineCompany(statedFigures, assume), assume);
  return { company, assumptions, unknown: statedFigures.unknown };
};
