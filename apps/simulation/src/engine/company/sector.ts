import type { SectorPace } from '../world/step-world.ts';

/**
 * Usual figures of companies in a sector. Money is in US dollars per year. Sources are in
 * docs/simulation-model.md.
 */
export type Sector = SectorPace & {
  readonly revenuePerEmployee: number;
  readonly wage: number;
  readonly directCostShare: number;
  readonly marketingPct: number;
  readonly rdPct: number;
  readonly overheadShare: number;
  readonly capexPct: number;
  readonly plantShare: number;
  /** Annual depreciation as a share of the value of the plant. */
  readonly depreciation: number;
  readonly receivableDays: number;
  readonly inventoryDays: number;
  readonly payableDays: number;
  readonly customerRevenue: number;
  readonly marketShare: number;
  readonly churnPct: number;
  readonly priceElasticity: number;
  readonly utilisation: number;
  /** Weight of the plant in the production capacity; labour has the remaining weight up to 1. */
  readonly plantWeight: number;
  readonly backlogShare: number;
  readonly quitPct: number;
  readonly concentration: number;
  readonly revenueMultiple: number;
};

export const SECTORS = {
  saas: {
    revenuePerEmployee: 150_000,
    wage: 110_000,
    directCostShare: 0.16,
    marketingPct: 10,
    rdPct: 4,
    overheadShare: 0.08,
    capexPct: 2,
    plantShare: 0.06,
    depreciation: 0.25,
    receivableDays: 45,
    inventoryDays: 0,
    payableDays: 30,
    customerRevenue: 28_000,
    marketShare: 0.05,
    churnPct: 3.4,
    priceElasticity: 1.3,
    utilisation: 0.7,
    plantWeight: 0.1,
    backlogShare: 0,
    quitPct: 3.5,
    concentration: 0.08,
    revenueMultiple: 6,
    growthBeta: 1.2,
    growthTrend: 6,
    growthNoise: 3,
  },
  retail: {
    revenuePerEmployee: 300_000,
    wage: 40_000,
    directCostShare: 0.7,
    marketingPct: 3,
    rdPct: 0.5,
    overheadShare: 0.07,
    capexPct: 2.5,
    plantShare: 0.18,
    depreciation: 0.1,
    receivableDays: 5,
    inventoryDays: 55,
    payableDays: 45,
    customerRevenue: 600,
    marketShare: 0.05,
    churnPct: 8,
    priceElasticity: 2.62,
    utilisation: 0.8,
    plantWeight: 0.3,
    backlogShare: 0,
    quitPct: 9,
    concentration: 0.01,
    revenueMultiple: 0.9,
    growthBeta: 0.8,
    growthTrend: 0,
    growthNoise: 2.5,
  },
  manufacturing: {
    revenuePerEmployee: 320_000,
    wage: 75_000,
    directCostShare: 0.5,
    marketingPct: 3,
    rdPct: 3,
    overheadShare: 0.08,
    capexPct: 4,
    plantShare: 0.26,
    depreciation: 0.1,
    receivableDays: 52,
    inventoryDays: 75,
    payableDays: 45,
    customerRevenue: 120_000,
    marketShare: 0.08,
    churnPct: 3,
    priceElasticity: 2.2,
    utilisation: 0.78,
    plantWeight: 0.4,
    backlogShare: 0.5,
    quitPct: 4.5,
    concentration: 0.12,
    revenueMultiple: 1.5,
    growthBeta: 1.6,
    growthTrend: -1.5,
    growthNoise: 4,
  },
  services: {
    revenuePerEmployee: 150_000,
    wage: 90_000,
    directCostShare: 0.12,
    marketingPct: 3,
    rdPct: 0.5,
    overheadShare: 0.12,
    capexPct: 1.5,
    plantShare: 0.06,
    depreciation: 0.18,
    receivableDays: 50,
    inventoryDays: 0,
    payableDays: 30,
    customerRevenue: 60_000,
    marketShare: 0.04,
    churnPct: 4,
    priceElasticity: 1.6,
    utilisation: 0.8,
    plantWeight: 0.1,
    backlogShare: 0.4,
    quitPct: 6,
    concentration: 0.15,
    revenueMultiple: 1.6,
    growthBeta: 1,
    growthTrend: 0.5,
    growthNoise: 2.5,
  },
} as const satisfies Record<string, Sector>;

export type SectorName = keyof typeof SECTORS;

const SYNONYMS: Readonly<Record<string, SectorName>> = {
  software: 'saas',
  tech: 'saas',
  technology: 'saas',
  it: 'saas',
  ai: 'saas',
  fintech: 'saas',
  internet: 'saas',
  ecommerce: 'retail',
  commerce: 'retail',
  consumer: 'retail',
  wholesale: 'retail',
  industrial: 'manufacturing',
  industry: 'manufacturing',
  hardware: 'manufacturing',
  automotive: 'manufacturing',
  electronics: 'manufacturing',
  service: 'services',
  consulting: 'services',
  agency: 'services',
  healthcare: 'services',
  hospitality: 'services',
  logistics: 'services',
  education: 'services',
};

export const findSector = (text: string): SectorName | undefined => {
  for (const word of text.toLowerCase().split(/[^a-z]+/)) {
    if (Object.hasOwn(SECTORS, word)) return word as SectorName;
    if (Object.hasOwn(SYNONYMS, word)) return SYNONYMS[word];
  }
  return text.toLowerCase().includes('e-commerce') ? 'retail' : undefined;
};
