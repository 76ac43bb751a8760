import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { createInvalidFields } from '../create-invalid-fields.ts';
import type { InvalidFields } from '../create-invalid-fields.ts';

/**
 * Maximum amount of money except `marketSize`; doubles up to it represent every whole unit exactly.
 */
const MONEY_MAX = 1e15;
const PERCENT = [0, 100] as const;

const RANGES = {
  revenue: [0, MONEY_MAX],
  employees: [1, 1e7],
  burn: [-MONEY_MAX, MONEY_MAX],
  cash: [0, MONEY_MAX],
  debt: [0, MONEY_MAX],
  creditLine: [0, MONEY_MAX],
  customers: [1, 1e12],
  price: [1e-6, MONEY_MAX],
  marketSize: [1, 1e18],
  marketShare: [1e-9, 0.95],
  wage: [0, MONEY_MAX],
  churnPct: [0, 50],
  grossMarginPct: [-100, 100],
  marketingPct: [0, 40],
  rdPct: [0, 40],
  capexPct: [0, 30],
  concentrationPct: PERCENT,
  plant: [0, MONEY_MAX],
  retainedEarnings: [-MONEY_MAX, MONEY_MAX],
} as const satisfies Record<string, readonly [number, number]>;

export type FigureName = keyof typeof RANGES;

export type CompanyFigures = {
  readonly sector: string | undefined;
  readonly figures: Readonly<Partial<Record<FigureName, number>>>;
  readonly unknown: JsonObject;
};

const SYNONYMS: Readonly<Record<string, FigureName>> = {
  annualRevenue: 'revenue',
  arr: 'revenue',
  headcount: 'employees',
  monthlyBurn: 'burn',
  averageSalary: 'wage',
  tam: 'marketSize',
};
const SECTOR_NAMES: readonly string[] = ['sector', 'industry'];

/**
 * Reads the known members of `companyBase`. Throws INVALID_REQUEST if members have the wrong type
 * or are out of range; the error lists up to 50 of them.
 */
export const readFigures = (base: JsonObject): CompanyFigures => {
  const figures: Partial<Record<FigureName, number>> = {};
  const unknown: JsonObject = {};
  const invalid = createInvalidFields('companyBase');
  let sector: string | undefined;
  for (const [key, value] of Object.entries(base)) {
    const name = Object.hasOwn(RANGES, key) ? (key as FigureName) : toName(key, base);
    if (name !== undefined) {
      if (isFigure(key, value, { range: RANGES[name], invalid })) figures[name] = value;
    } else if (SECTOR_NAMES.includes(key)) {
      if (typeof value === 'string') sector ??= value;
      else invalid.add(key, 'must be a string');
    } else Object.defineProperty(unknown, key, { value, enumerable: true, writable: true });
  }
  invalid.check();
  return { sector, figures, unknown };
};

const toName = (key: string, base: JsonObject): FigureName | undefined => {
  const name = Object.hasOwn(SYNONYMS, key) ? SYNONYMS[key] : undefined;
  return name !== undefined && Object.hasOwn(base, name) ? undefined : name;
};

const isFigure = (
  key: string,
  value: JsonValue,
  { range: [min, max], invalid }: { range: readonly [number, number]; invalid: InvalidFields },
): value is number => {
  const error =
    typeof value === 'string'
      ? 'must be a number, not a string: leave out quotes, separators and units'
      : typeof value !== 'number'
        ? 'must be a number'
        : value < min || value > max
          ? `must be from ${min} to ${max}`
          : undefined;
  if (error !== undefined) invalid.add(key, error);
  return error === undefined;
};
