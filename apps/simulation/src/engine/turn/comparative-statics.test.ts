import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@bufbuild/protobuf';
import { endOf, openCompany, playCompany } from '../../../test/play-company.ts';
import { EVENT_CODES } from '../world/event-catalogue.ts';
import type { EventCode } from '../world/event-catalogue.ts';
import type { CompanyState, LeverName, Levers, PlayedTurn } from '../engine.ts';
import { SECTORS } from '../company/sector.ts';
import type { SectorName } from '../company/sector.ts';

const SECTOR_NAMES = Object.keys(SECTORS) as SectorName[];
const SEEDS = [1, 2, 3] as const;
const RICH_COMPANY = { revenue: 5_000_000, cash: 20_000_000, debt: 500_000 };
const NO_EVENT_HAZARDS = Object.fromEntries(EVENT_CODES.map((code) => [`eventHazard.${code}`, 0]));

type CompanyMeasure = (company: Readonly<CompanyState>) => number;
const equity: CompanyMeasure = ({ equityPaid }) => equityPaid;
const owed: CompanyMeasure = ({ debt }) => debt;
const cash: CompanyMeasure = (company) => company.cash;
const share: CompanyMeasure = ({ marketShare }) => marketShare;
const staff: CompanyMeasure = ({ employees }) => employees;
const capacity: CompanyMeasure = (company) => company.capacity;
const revenue: CompanyMeasure = (company) => company.revenue;
const ebitda: CompanyMeasure = (company) => company.ebitda;
const costOfStaff: CompanyMeasure = ({ rookies, experts, wage }) => (rookies + experts) * wage;

/**
 * A lever, its value, whether it applies in the first turn only or always, and its expected
 * effects: name, measure, sign, and number of turns after which it is measured.
 */
type Case = [LeverName, number, 'once' | 'always', [string, CompanyMeasure, number, number][]];
const LEVER_CASES: Case[] = [
  [
    'priceChange',
    5,
    'once',
    [
      ['share', share, -1, 8],
      ['price', ({ price }) => price, 1, 1],
    ],
  ],
  ['priceChange', -5, 'once', [['share', share, 1, 8]]],
  [
    'marketingPct',
    25,
    'always',
    [
      ['share', share, 1, 12],
      ['cash', cash, -1, 1],
    ],
  ],
  [
    'rdPct',
    25,
    'always',
    [
      ['share', share, 1, 20],
      ['cash', cash, -1, 1],
    ],
  ],
  [
    'headcountChange',
    15,
    'once',
    [
      ['staff', staff, 1, 1],
      ['capacity', capacity, 1, 8],
      ['wages', costOfStaff, 1, 1],
    ],
  ],
  [
    'headcountChange',
    -15,
    'once',
    [
      ['staff', staff, -1, 1],
      ['capacity', capacity, -1, 8],
      ['wages', costOfStaff, -1, 4],
    ],
  ],
  [
    'capexPct',
    20,
    'always',
    [
      ['capacity', capacity, 1, 8],
      ['cash', cash, -1, 1],
    ],
  ],
  [
    'raiseEquity',
    400_000,
    'once',
    [
      ['cash', cash, 1, 4],
      ['equity', equity, 1, 1],
    ],
  ],
  [
    'debtChange',
    400_000,
    'once',
    [
      ['cash', cash, 1, 4],
      ['debt', owed, 1, 4],
    ],
  ],
  [
    'debtChange',
    -400_000,
    'once',
    [
      ['cash', cash, -1, 1],
      ['debt', owed, -1, 1],
    ],
  ],
  [
    'newMarketEntry',
    1,
    'once',
    [
      ['revenue', revenue, 1, 16],
      ['ebitda', ebitda, -1, 1],
    ],
  ],
  [
    'costProgram',
    8,
    'once',
    [
      ['ebitda', ebitda, 1, 6],
      ['ebitda', ebitda, -1, 1],
    ],
  ],
];

describe.each(SECTOR_NAMES)('levers in %s', (sector) => {
  it.each(LEVER_CASES)(
    'have the expected effects: %s %d %s',
    (lever, value, description, effects) => {
      const start = openCompany({ ...RICH_COMPANY, sector });
      const levers = (turn: number): Partial<Levers> =>
        description === 'always' || turn === 1 ? { [lever]: value } : {};
      for (const seed of SEEDS) {
        for (const [, measure, sign, turns] of effects) {
          const options = { seed, turns, parameters: NO_EVENT_HAZARDS };
          const changed = endOf(start, { ...options, levers }).company;
          const unchanged = endOf(start, options).company;

          expect(Math.sign(measure(changed) - measure(unchanged))).toBe(sign);
        }
      }
    },
  );
});

/**
 * An event, a figure, how to read it, the expected sign of the event's effect compared with the
 * same world without it, and the number of turns after which it is measured.
 */
const EVENT_CASES: [EventCode, string, (turn: PlayedTurn) => number, number, number][] = [
  ['recession', 'revenue', toShown('revenue'), -1, 4],
  ['supply_shock', 'the gross margin', toShown('grossMarginPct'), -1, 1],
  ['price_war', 'the market share', toShown('marketShare'), -1, 4],
  ['regulation', 'overhead', toShown('overhead'), 1, 1],
  ['demand_surge', 'revenue', toShown('revenue'), 1, 1],
  ['talent_shortage', 'the wage', toShown('wage'), 1, 2],
  ['talent_shortage', 'the staff', ({ state }) => staffOf(state.company), -1, 2],
  ['credit_tightening', 'interest', toShown('interest'), 1, 1],
  ['cyber_incident', 'the market share', toShown('marketShare'), -1, 1],
  ['cyber_incident', 'one-off costs', toShown('oneOffs'), 1, 1],
  ['key_customer_loss', 'customers', toShown('customers'), -1, 1],
];

function toShown(name: string): (turn: PlayedTurn) => number {
  return ({ companyState }) => Number(companyState[name]);
}

const staffOf: CompanyMeasure = ({ rookies, experts }) => rookies + experts;

describe.each(SECTOR_NAMES)('events in %s', (sector) => {
  it.each(EVENT_CASES)('%s changes %s', (code, _, read, sign, turns) => {
    const start = openCompany({ ...RICH_COMPANY, sector, concentrationPct: 20 });
    const hazard: JsonObject = { value: 1, toTurn: 1 };
    for (const seed of SEEDS) {
      const options = { seed, turns };
      const parameters = { ...NO_EVENT_HAZARDS, [`eventHazard.${code}`]: hazard };
      const withEvent = playCompany(start, { ...options, parameters });
      const withoutEvent = playCompany(start, { ...options, parameters: NO_EVENT_HAZARDS });

      expect(Math.sign(read(withEvent.at(-1)!) - read(withoutEvent.at(-1)!))).toBe(sign);
    }
  });
});

describe('a scenario with shrinking output', () => {
  it.each(SECTOR_NAMES)(
    'lowers revenue in at least 95 % of pairs with the same random numbers: %s',
    (sector) => {
      const start = openCompany({ ...RICH_COMPANY, sector });
      const seeds = Array.from({ length: 200 }, (_, seed) => seed);
      const lower = seeds.filter((seed) => {
        const options = { seed, turns: 8 };
        const shrinking = endOf(start, { ...options, parameters: { gdpGrowth: -2 } });
        return shrinking.company.revenue < endOf(start, options).company.revenue;
      });

      expect(lower.length).toBeGreaterThanOrEqual(190);
    },
  );
});

describe('the market', () => {
  const start = openCompany({ ...RICH_COMPANY, sector: 'retail', marketShare: 0.144 });
  const options = { turns: 40, parameters: NO_EVENT_HAZARDS };
  const unchanged = endOf(start, options).company;
  const oddsOf = ({ marketShare }: CompanyState): number =>
    Math.log(marketShare / (1 - marketShare));
  const ratio = (company: CompanyState, name: 'brand' | 'quality' | 'price'): number =>
    Math.log(company[name] / unchanged[name]);

  it('reproduces the given price elasticity', () => {
    const levers = (turn: number): Partial<Levers> => ({ priceChange: turn <= 5 ? 4 : 0 });
    const expensive = endOf(start, { ...options, levers }).company;
    const reputation = 0.24 * ratio(expensive, 'brand') + 0.08 * ratio(expensive, 'quality');
    const elasticity =
      (oddsOf(expensive) - oddsOf(unchanged) - reputation) / ratio(expensive, 'price');

    expect(Math.abs(elasticity / -2.62 - 1)).toBeLessThan(0.1);
  });

  it('reproduces the given elasticity of marketing', () => {
    const companyWithMarketing = endOf(start, { ...options, levers: { marketingPct: 6 } }).company;
    const quality = 0.08 * ratio(companyWithMarketing, 'quality');
    const elasticity =
      (oddsOf(companyWithMarketing) - oddsOf(unchanged) - quality) /
      ratio(companyWithMarketing, 'brand');

    expect(Math.abs(elasticity / 0.24 - 1)).toBeLessThan(0.1);
    expect(ratio(companyWithMarketing, 'brand')).toBeGreaterThan(Math.log(2));
  });
});
