import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { openFaults } from '../open-faults.ts';
import type { Faults } from '../open-faults.ts';

/** Largest sum of money that is taken for one; beyond it, cents are lost. */
const MONEY_MAX = 1e15;
const PERCENT = [0, 100] as const;

/** What a caller may say of a company, and within which bounds. */
const RANGES = {
  revenue: [0, MONEY_MAX],
  employees: [1, 1e7],
  /** Negative: net cash in. */
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

/** What was said of a company, in the model's own words. */
export type CompanyFigures = {
  readonly sector: string | undefined;
  readonly figures: Readonly<Partial<Record<FigureName, number>>>;
  /** Members that the model does not know, as they were given. */
  readonly unknown: JsonObject;
};

/** What people also write, where it can mean but one thing. */
const OTHER_NAMES: Readonly<Record<string, FigureName>> = {
  annualRevenue: 'revenue',
  arr: 'revenue',
  headcount: 'employees',
  monthlyBurn: 'burn',
  averageSalary: 'wage',
  tam: 'marketSize',
};
const SECTOR_NAMES: readonly string[] = ['sector', 'industry'];

/**
 * Known members are read, others kept. Throws INVALID_REQUEST with every known member that is no
 * number, or beyond what a company can be.
 */
export const readFigures = (base: JsonObject): CompanyFigures => {
  const figures: Partial<Record<FigureName, number>> = {};
  const unknown: JsonObject = {};
  const faults = openFaults('companyBase');
  let sector: string | undefined;
  for (const [key, value] of Object.entries(base)) {
    const name = Object.hasOwn(RANGES, key) ? (key as FigureName) : toName(key, base);
    if (name !== undefined) {
      if (isFigure(key, value, { range: RANGES[name], faults })) figures[name] = value;
    } else if (SECTOR_NAMES.includes(key)) {
      if (typeof value === 'string') sector ??= value;
      else faults.add(key, 'must be a string');
    } else Object.defineProperty(unknown, key, { value, enumerable: true, writable: true });
  }
  faults.check();
  return { sector, figures, unknown };
};

/** Another word counts only when the model's own is not there. */
const toName = (key: string, base: JsonObject): FigureName | undefined => {
  const name = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
  return name !== undefined && Object.hasOwn(base, name) ? undefined : name;
};

const isFigure = (
  key: string,
  value: JsonValue,
  { range: [min, max], faults }: { range: readonly [number, number]; faults: Faults },
): value is number => {
  const fault =
    typeof value === 'string'
      ? 'must be a number, not a string: leave out quotes, separators and units'
      : typeof value !== 'number'
        ? 'must be a number'
        : value < min || value > max
          ? `must be from ${min} to ${max}`
          : undefined;
  if (fault !== undefined) faults.add(key, fault);
  return fault === undefined;
};
