import type { ReportPlay } from './play-report.ts';

const decideSometimes: ReportPlay['council'] = (turn) =>
  turn % 4 === 0
    ? undefined
    : {
        ...{ marketingPct: turn < 3 ? 1 : 3, priceChange: turn === 3 ? 3 : 0 },
        ...{ headcountChange: turn === 2 ? 5 : 0, raiseEquity: turn === 5 ? 8.59e6 : 0 },
      };

export const REPORTED_PLAYS: Readonly<Record<string, ReportPlay>> = {
  'bakery-in-german-with-a-paused-scenario': {
    ...{ name: 'Bäckerei Sommer', description: 'Wie geht es weiter mit der Filiale?' },
    companyBase: { sector: 'retail', revenue: 12e6, cash: 900e3, currency: 'EUR' },
    ...{ seed: 42, turns: 8, council: decideSometimes },
    scenarios: [
      { name: 'Basisfall' },
      { name: 'Boom', parameters: { gdpGrowth: 5 }, paused: [5, 6] },
      { name: 'Energieschock', parameters: { inflationRate: 9 } },
    ],
  },
  'saas-after-one-turn': {
    name: 'Cloud co',
    companyBase: {
      ...{ sector: 'saas', revenue: 2.4e6, employees: 24, burn: 60e3 },
      ...{ cash: 1.5e6, currency: 'USD' },
    },
    ...{ seed: 7, turns: 1, scenarios: [{ name: 'Baseline' }] },
    council: () => ({ marketingPct: 14, headcountChange: 10 }),
  },
  'saas-that-runs-out-of-money-twice': {
    name: 'Cloud co',
    companyBase: { sector: 'saas', revenue: 2.4e6, employees: 24, burn: 160e3, cash: 0.8e6 },
    ...{ seed: 11, turns: 12 },
    scenarios: [{ name: 'Growth plan' }, { name: 'Recession', parameters: { gdpGrowth: -4 } }],
    council: (turn) => ({
      ...{ marketingPct: 20, headcountChange: turn < 6 ? 6 : 0 },
      raiseEquity: turn === 3 ? 3e6 : 0,
    }),
  },
  'hospital-in-turns-of-a-year': {
    name: 'City hospital',
    companyBase: {
      ...{ sector: 'hospital', revenue: 180e6, employees: 1_500, cash: 20e6 },
      currency: 'CHF',
    },
    ...{ turnUnit: 'year', seed: 3, turns: 5, scenarios: [{ name: 'Baseline' }] },
    council: (turn) => ({
      ...{ capexPct: 4, headcountChange: turn === 2 ? -2 : 0.5 },
      costProgram: turn === 3 ? 1 : 0,
    }),
  },
  'manufacturer-in-a-recession': {
    ...{ name: 'Maschinenbau Huber', description: 'Rezession und Sparkurs' },
    companyBase: {
      ...{ sector: 'manufacturing', revenue: 60e6, employees: 190, cash: 3e6 },
      ...{ debt: 12e6, currency: 'EUR' },
    },
    ...{ seed: 5, turns: 10 },
    scenarios: [
      { name: 'Basis' },
      { name: 'Rezession', parameters: { gdpGrowth: -5, eventHazard: { recession: 0.3 } } },
    ],
    council: (turn) => (turn > 4 ? { headcountChange: -4, costProgram: 2 } : { priceChange: 1 }),
  },
  'shop-that-becomes-insolvent': {
    name: 'Shop',
    companyBase: {
      ...{ sector: 'retail', revenue: 4e6, employees: 20, burn: 90e3 },
      ...{ cash: 200e3, creditLine: 50e3 },
    },
    ...{ seed: 9, turns: 6, scenarios: [{ name: 'Baseline' }] },
    council: () => ({ marketingPct: 3 }),
  },
  'one-employee': {
    name: 'Sole trader',
    companyBase: { revenue: 100 },
    ...{ seed: 1, turns: 1, scenarios: [{ name: 'Baseline' }] },
  },
  'no-agents-and-no-figures': {
    name: 'x',
    companyBase: {},
    ...{ seed: 2, turns: 20, scenarios: [{ name: 'Baseline' }] },
  },
  'agency-with-branches': {
    name: 'Agency',
    companyBase: { sector: 'services', revenue: 9e6, employees: 60, cash: 2e6 },
    ...{ seed: 21, turns: 9 },
    scenarios: [
      { name: 'Base case' },
      { name: 'Boom', parameters: { gdpGrowth: 8 }, from: 3 },
      { name: 'Austerity', from: 6 },
    ],
    council: (turn, scenario) =>
      scenario === 'Austerity'
        ? { headcountChange: -8, marketingPct: 1 }
        : { headcountChange: 4, marketingPct: 5, newMarketEntry: turn === 2 ? 1 : 0 },
  },
  'before-the-first-sale': {
    name: 'Biotech',
    companyBase: { sector: 'saas', revenue: 0, employees: 12, cash: 4e6 },
    ...{ seed: 31, turns: 8 },
    scenarios: [
      { name: 'Plan A' },
      { name: 'Plan B', parameters: { interestRate: 12 } },
      { name: 'Plan C', paused: [3, 4, 5, 6, 7, 8] },
    ],
    council: (turn) => ({ marketingPct: 30, rdPct: 30, debtChange: turn === 4 ? 1e6 : 0 }),
  },
};
