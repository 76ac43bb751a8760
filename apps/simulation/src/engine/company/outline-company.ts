import { invalidFieldError } from '../create-invalid-fields.ts';
import type { CompanyFigures } from './company-figures.ts';
import { findSector, SECTORS } from './sector.ts';
import type { Sector, SectorName } from './sector.ts';

export type CompanyOutline = {
  readonly sector: SectorName;
  readonly revenue: number;
  readonly employees: number;
  readonly price: number;
  readonly customers: number;
  readonly marketSize: number;
  readonly equilibriumShare: number;
  readonly potential: number;
  readonly wage: number;
  /**
   * Reason why the wage differs from the sector's usual wage, worded as the end of a sentence;
   * empty if it does not differ.
   */
  readonly wageReason: string;
  readonly figures: CompanyFigures['figures'];
};

const USUAL_REVENUE = 1_000_000;
const FIRST_SALES_SHARE = 0.01;
const CUSTOMERS_MIN = 10;
/**
 * Bounds of revenue and burn per employee relative to the sector's revenue per employee. If a
 * company with sales is outside of them, its figures are assumed to be in another currency or in
 * thousands, and the usual wage is scaled accordingly.
 */
const [CURRENCY_RATIO_MIN, CURRENCY_RATIO_MAX] = [0.01, 10] as const;
/**
 * Lowest revenue per employee, relative to that of the sector, at which a company without a given
 * burn is assumed to have a large staff at lower wages. Below it, the company is assumed to be
 * young, to pay usual wages, and to lose money.
 */
const LARGE_STAFF_RATIO_MIN = 0.25;
const TOLERANCE = 0.01;

export type RecordAssumption = (sentence: string) => void;
/**
 * Returns the outline of a company, in which figures that were not given have usual values. Throws
 * INVALID_REQUEST if the given market size does not exceed the revenue.
 */
export const outlineCompany = (
  { sector: sectorText, figures }: CompanyFigures,
  recordAssumption: RecordAssumption,
): CompanyOutline => {
  const name = readSector(sectorText, recordAssumption);
  const sector = SECTORS[name];
  const size = readSize(figures, sector, recordAssumption);
  const market = readMarket(figures, size, sector, recordAssumption);
  return {
    sector: name,
    ...size,
    ...market,
    ...readWage(figures, size, sector),
    figures,
  };
};

type Figures = CompanyFigures['figures'];
type Size = Pick<CompanyOutline, 'revenue' | 'employees' | 'potential'> & {
  readonly isNew: boolean;
};

const readSector = (
  sectorText: string | undefined,
  recordAssumption: RecordAssumption,
): SectorName => {
  const sector = sectorText === undefined ? undefined : findSector(sectorText);
  if (sector !== undefined) return sector;
  const known = Object.keys(SECTORS).join(', ');
  const reason =
    sectorText === undefined ? 'No sector is given' : `The sector "${sectorText}" is not known`;
  recordAssumption(`${reason} (known: ${known}): the figures of services are taken.`);
  return 'services';
};

const readSize = (figures: Figures, sector: Sector, recordAssumption: RecordAssumption): Size => {
  const employees = readEmployees(figures, sector, recordAssumption);
  if (figures.revenue === undefined) {
    const revenue = employees * sector.revenuePerEmployee;
    recordAssumption(
      `Revenue is taken as ${formatNumber(revenue)} a year, ` +
        `as usual for ${describeStaff(employees)}.`,
    );
    return { revenue, employees, potential: revenue, isNew: false };
  }
  if (figures.revenue > 0) {
    const { revenue } = figures;
    return { revenue, employees, potential: revenue, isNew: false };
  }
  const revenue = employees * (figures.wage ?? sector.wage) * FIRST_SALES_SHARE || 1;
  recordAssumption(
    `Revenue 0 is read as just before the first sale: ${formatNumber(revenue)} a year.`,
  );
  const potential = Math.max(revenue, employees * sector.revenuePerEmployee);
  return { revenue, employees, potential, isNew: true };
};

const readEmployees = (
  figures: Figures,
  sector: Sector,
  recordAssumption: RecordAssumption,
): number => {
  const { employees: sent, revenue = USUAL_REVENUE } = figures;
  const employees = Math.max(1, Math.round(sent ?? revenue / sector.revenuePerEmployee));
  if (sent === undefined) {
    const capped = Math.min(employees, 1e7);
    const verb = capped === 1 ? 'is' : 'are';
    recordAssumption(`${describeStaff(capped)} ${verb} taken, as usual for the revenue.`);
    return capped;
  }
  if (sent !== employees) recordAssumption(`${sent} employees are read as ${employees}.`);
  return employees;
};

const describeStaff = (employees: number): string =>
  `${formatNumber(employees)} ${employees === 1 ? 'employee' : 'employees'}`;

type Market = Pick<CompanyOutline, 'price' | 'customers' | 'marketSize' | 'equilibriumShare'>;

const readMarket = (
  figures: Figures,
  { revenue, potential, isNew }: Size,
  sector: Sector,
  recordAssumption: RecordAssumption,
): Market => {
  const usual = Math.min(sector.customerRevenue, potential / CUSTOMERS_MIN);
  const price = figures.customers ? revenue / figures.customers : (figures.price ?? usual);
  if (figures.customers === undefined && figures.price === undefined) {
    recordAssumption(`A customer is taken to pay ${formatNumber(price)} a year.`);
  } else if (figures.price !== undefined && !isWithinTolerance(figures.price, price)) {
    recordAssumption(
      `A customer pays ${formatNumber(price)} a year: revenue over customers, not the price given.`,
    );
  }
  const customers = revenue / price;
  const usualSize = potential / (figures.marketShare ?? sector.marketShare);
  const marketSize = figures.marketSize ?? usualSize;
  if (marketSize <= revenue) {
    throw invalidFieldError('companyBase.marketSize', 'must be greater than the revenue');
  }
  const share = revenue / marketSize;
  if (figures.marketSize === undefined)
    recordAssumption(`The market is taken as ${formatNumber(marketSize)} a year.`);
  else if (figures.marketShare !== undefined && !isWithinTolerance(figures.marketShare, share)) {
    recordAssumption(
      `The market share is ${formatNumber(share)}: revenue over market size, not the share given.`,
    );
  }
  const equilibriumShare = isNew ? Math.max(share, sector.marketShare / 2) : share;
  return { price, customers, marketSize, equilibriumShare };
};

const readWage = (
  { wage, burn }: Figures,
  { revenue, employees, isNew }: Size,
  sector: Sector,
): Pick<CompanyOutline, 'wage' | 'wageReason'> => {
  if (wage !== undefined) return { wage, wageReason: '' };
  const moneyPerEmployee = (revenue + 12 * Math.max(0, burn ?? 0)) / employees;
  const ratio = moneyPerEmployee / sector.revenuePerEmployee;
  const isOtherCurrency = !isNew && (ratio < CURRENCY_RATIO_MIN || ratio > CURRENCY_RATIO_MAX);
  if (isOtherCurrency) {
    const wageReason = ', in proportion to the revenue: its currency or unit is another';
    return { wage: sector.wage * ratio, wageReason };
  }
  const isLargeStaff = burn === undefined && !isNew && ratio < 1 && ratio >= LARGE_STAFF_RATIO_MIN;
  if (!isLargeStaff) return { wage: sector.wage, wageReason: '' };
  return { wage: sector.wage * ratio, wageReason: ': what leaves the usual margin of the sector' };
};

const isWithinTolerance = (a: number, b: number): boolean =>
  Math.abs(a - b) <= TOLERANCE * Math.abs(b);

export const formatNumber = (value: number): string =>
  Number(value.toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: 9 });
