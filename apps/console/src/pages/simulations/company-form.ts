export const SECTORS = [
  { value: 'saas', label: 'Software as a service' },
  { value: 'services', label: 'Services' },
  { value: 'retail', label: 'Retail' },
  { value: 'manufacturing', label: 'Manufacturing' },
] as const;

export type Sector = (typeof SECTORS)[number]['value'];

type CompanyField = {
  name: string;
  label: string;
  hint: string;
  min?: number;
  max?: number;
  /** True if the API has the figure as a share from 0 to 1 and the form as percent. */
  isShare?: boolean;
};

/** Figures of the company that most people know. Each may be empty; the sector supplies it. */
export const MAIN_FIELDS = [
  { name: 'revenue', label: 'Revenue', hint: 'Per year', min: 0 },
  { name: 'cash', label: 'Cash', hint: 'In the bank today', min: 0 },
  { name: 'employees', label: 'Employees', hint: 'Full-time equivalents', min: 1 },
  { name: 'burn', label: 'Burn', hint: 'Net cash out per month; negative if cash comes in' },
] as const satisfies readonly CompanyField[];

export const MORE_FIELDS = [
  { name: 'marketShare', label: 'Market share', hint: 'Percent', min: 0, max: 95, isShare: true },
  { name: 'marketSize', label: 'Market size', hint: 'Revenue of all suppliers per year', min: 1 },
  { name: 'customers', label: 'Customers', hint: 'Who pay today', min: 1 },
  { name: 'price', label: 'Price', hint: 'Revenue per customer and year', min: 0 },
  {
    name: 'grossMarginPct',
    label: 'Gross margin',
    hint: 'Percent of revenue',
    min: -100,
    max: 100,
  },
  { name: 'churnPct', label: 'Churn', hint: 'Percent of customers per quarter', min: 0, max: 50 },
  { name: 'marketingPct', label: 'Marketing', hint: 'Percent of revenue', min: 0, max: 40 },
  { name: 'rdPct', label: 'R&D', hint: 'Percent of revenue', min: 0, max: 40 },
  { name: 'debt', label: 'Debt', hint: 'Loans outstanding', min: 0 },
] as const satisfies readonly CompanyField[];

const FIELDS: readonly CompanyField[] = [...MAIN_FIELDS, ...MORE_FIELDS];

export type CompanyFieldName = (typeof MAIN_FIELDS | typeof MORE_FIELDS)[number]['name'];

export type CompanyDraft = {
  sector: Sector;
  currency: string;
  description: string;
  figures: Partial<Record<CompanyFieldName, number>>;
};

/** Returns the company as the API takes it; what is empty is absent, so that it is assumed. */
export const toCompanyBase = ({
  sector,
  currency,
  description,
  figures,
}: CompanyDraft): object => ({
  sector,
  ...(currency.trim() === '' ? {} : { currency: currency.trim() }),
  ...Object.fromEntries(
    FIELDS.flatMap(({ name, isShare = false }) => {
      const value = figures[name as CompanyFieldName];
      return value === undefined ? [] : [[name, isShare ? value / 100 : value]];
    }),
  ),
  ...(description.trim() === '' ? {} : { description: description.trim() }),
});
