import type { JsonObject } from '@bufbuild/protobuf';
import { readFigures } from './company-figures.ts';
import type { CompanyState } from './company-state.ts';
import { openCompany } from './open-company.ts';
import { outlineCompany } from './outline-company.ts';

export type ReadCompany = {
  readonly company: CompanyState;
  readonly assumptions: readonly string[];
  /** Unknown members of `companyBase`, unchanged; shown in every companyState. */
  readonly unknown: JsonObject;
};

/**
 * Reads `companyBase`. Throws INVALID_REQUEST with `param` `companyBase.<key>` for impossible or
 * contradictory figures.
 */
export const readCompanyBase = (base: JsonObject): ReadCompany => {
  const given = readFigures(base);
  const assumptions: string[] = [];
  const assume = (sentence: string): void => void assumptions.push(sentence);
  const company = openCompany(outlineCompany(given, assume), assume);
  return { company, assumptions, unknown: given.unknown };
};
