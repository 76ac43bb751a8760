import { refuse } from '../open-invalid-fields.ts';
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
  /** Market share in equilibrium. */
  readonly deservedShare: number;
  readonly potential: number;
  readonly wage: number;
  /** Reason for a wage other than the sector's, as the end of a sentence. */
  readonly wageWhy: string;
  readonly figures: CompanyFigures['figures'];
};

const USUAL_REVENUE = 1_000_000;
const FIRST_SALES = 0.01;
const CUSTOMERS_MIN = 10;
/**
 * A ratio to the sector's revenue per employee outside these bounds suggests another currency, or
 * amounts in thousands.
 */
const [CURRENCY_LESS, CURRENCY_MORE] = [0.01, 10] as const;
const TOLERANCE = 0.01;

export type Assume = (sentence: string) => void;
/** Fills in missing figures with usual ones. Throws INVALID_REQUEST. */
export const outlineCompany = (
  { sector: word, figures }: CompanyFigures,
  assume: Assume,
): CompanyOutline => {
  const name = readSector(word, assume);
  const sector = SECTORS[name];
  const size = readSize(figures, sector, assume);
  const market = readMarket(figures, size, sector, assume);
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

const readSector = (word: string | undefined, assume: Assume): SectorName => {
  const sector = word === undefined ? undefined : findSector(word);
  if (sector !== undefined) return sector;
  const known = Object.keys(SECTORS).join(', ');
  const why = word === undefined ? 'No sector is given' : `The sector "${word}" is not known`;
  assume(`${why} (known: ${known}): the figures of services are taken.`);
  return 'services';
};

const readSize = (figures: Figures, sector: Sector, assume: Assume): Size => {
  const employees = readEmployees(figures, sector, assume);
  if (figures.revenue === undefined) {
    const revenue = employees * sector.revenuePerEmployee;
    assume(`Revenue is taken as ${show(revenue)} a year, as usual for ${toStaff(employees)}.`);
    return { revenue, employees, potential: revenue, isNew: false };
  }
  if (figures.revenue > 0) {
    const { revenue } = figures;
    return { revenue, employees, potential: revenue, isNew: false };
  }
  const revenue = employees * (figures.wage ?? sector.wage) * FIRST_SALES || 1;
  assume(`Revenue 0 is read as just before the first sale: ${show(revenue)} a year.`);
  const potential = Math.max(revenue, employees * sector.revenuePerEmployee);
  return { revenue, employees, potential, isNew: true };
};

const readEmployees = (figures: Figures, sector: Sector, assume: Assume): number => {
  const { employees: given, revenue = USUAL_REVENUE } = figures;
  const employees = Math.max(1, Math.round(given ?? revenue / sector.revenuePerEmployee));
  if (given === undefined) {
    const capped = Math.min(employees, 1e7);
    const verb = capped === 1 ? 'is' : 'are';
    assume(`${toStaff(capped)} ${verb} taken, as usual for the revenue.`);
    return capped;
  }
  if (given !== employees) assume(`${given} employees are read as ${employees}.`);
  return employees;
};

const toStaff = (employees: number): string =>
  `${show(employees)} ${employees === 1 ? 'employee' : 'employees'}`;

type Market = Pick<CompanyOutline, 'price' | 'customers' | 'marketSize' | 'deservedShare'>;

const readMarket = (
  figures: Figures,
  { revenue, potential, isNew }: Size,
  sector: Sector,
  assume: Assume,
): Market => {
  const usual = Math.min(sector.customerRevenue, potential / CUSTOMERS_MIN);
  const price = figures.customers ? revenue / figures.customers : (figures.price ?? usual);
  if (figures.customers === undefined && figures.price === undefined) {
    assume(`A customer is taken to pay ${show(price)} a year.`);
  } else if (figures.price !== undefined && !isNear(figures.price, price)) {
    assume(`A customer pays ${show(price)} a year: revenue over customers, not the price given.`);
  }
  const customers = revenue / price;
  const usualSize = potential / (figures.marketShare ?? sector.marketShare);
  const marketSize = figures.marketSize ?? usualSize;
  if (marketSize <= revenue) {
    throw refuse('companyBase.marketSize', 'must be greater than the revenue');
  }
  const share = revenue / marketSize;
  if (figures.marketSize === undefined)
    assume(`The market is taken as ${show(marketSize)} a year.`);
  else if (figures.marketShare !== undefined && !isNear(figures.marketShare, share)) {
    assume(`The market share is ${show(share)}: revenue over market size, not the share given.`);
  }
  const deservedShare = isNew ? Math.max(share, sector.marketShare / 2) : share;
  return { price, customers, marketSize, deservedShare };
};

const readWage = (
  { wage, burn = 0 }: Figures,
  { revenue, employees, isNew }: Size,
  sector: Sector,
): Pick<CompanyOutline, 'wage' | 'wageWhy'> => {
  if (wage !== undefined) return { wage, wageWhy: '' };
  const money = (revenue + 12 * Math.max(0, burn)) / employees;
  const ratio = money / sector.revenuePerEmployee;
  const isOther = !isNew && (ratio < CURRENCY_LESS || ratio > CURRENCY_MORE);
  if (!isOther) return { wage: sector.wage, wageWhy: '' };
  const wageWhy = ', in proportion to the revenue: its currency or unit is another';
  return { wage: sector.wage * ratio, wageWhy };
};

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE * Math.abs(b);

export const show = (value: number): string =>
  Number(value.toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: 9 });
