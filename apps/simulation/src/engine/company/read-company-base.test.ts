import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@bufbuild/protobuf';
import { isServiceError } from '@witan/contracts';
import { openState, playTurn, defaultLevers, readParameters } from '../engine.ts';
import { assetsOf, equityOf, liabilitiesOf, copyCompany } from './company-state.ts';
import { readCompanyBase } from './read-company-base.ts';

const FULL: JsonObject = {
  revenue: 5_000_000,
  employees: 40,
  burn: 100_000,
  sector: 'saas',
  cash: 2_000_000,
  debt: 300_000,
  customers: 200,
  marketSize: 80_000_000,
  wage: 100_000,
};

const refusalOf = (base: JsonObject): { reason: string; param: string | undefined } => {
  try {
    readCompanyBase(base);
  } catch (error) {
    if (isServiceError(error)) return { reason: error.reason, param: error.fields['param'] };
    throw error;
  }
  return { reason: 'taken', param: undefined };
};

const errorsOf = (action: () => unknown): { path: string; message: string }[] => {
  try {
    action();
  } catch (error) {
    if (isServiceError(error)) return JSON.parse(error.fields['faults']!);
    throw error;
  }
  return [];
};

describe('readCompanyBase', () => {
  it.each([
    [{ sector: 'manufacturing', revenue: 45e6, employees: 260 }],
    [{ sector: 'retail', revenue: 12e6, employees: 140 }],
    [{ sector: 'saas', revenue: 2.4e6, employees: 24 }],
    [{ sector: 'services', revenue: 9e6, employees: 120 }],
  ])('fits the wage of a large staff to the usual margin of the sector: %j', (base) => {
    const { company, assumptions } = readCompanyBase(base);
    const { employees, ...withoutStaff } = base;
    const usual = readCompanyBase(withoutStaff).company;

    expect(company.employees).toBe(employees);
    expect(Math.abs(company.burn - usual.burn)).toBeLessThan((0.01 * base.revenue) / 12);
    expect(assumptions).toContainEqual(expect.stringMatching(/usual margin of the sector/));
  });

  it.each([
    ['a small staff', { sector: 'saas', revenue: 2.4e6, employees: 10 }],
    ['a young company', { sector: 'saas', revenue: 200e3, employees: 12 }],
    ['a company whose burn is given', { sector: 'saas', revenue: 2.4e6, employees: 24, burn: 2e5 }],
  ])('takes the usual wage of the sector for %s', (_, base) => {
    expect(readCompanyBase(base).company.wage).toBe(110_000);
  });

  it('uses the given figures', () => {
    const { company, assumptions } = readCompanyBase(FULL);

    expect(company).toMatchObject({
      sector: 'saas',
      revenue: 5_000_000,
      employees: 40,
      burn: 100_000,
      cash: 2_000_000,
      debt: 300_000,
      customers: 200,
      price: 25_000,
      marketShare: 0.0625,
      wage: 100_000,
    });
    expect(assumptions).toEqual([
      expect.stringMatching(/^Overhead is taken as .* explains the burn/),
    ]);
  });

  it('returns a company with the given burn in an ordinary quarter', () => {
    const usualParameters = { eventHazard: { recession: 0, cyber_incident: 0 }, inflationRate: 0 };
    const { parameters } = readParameters({ ...usualParameters, sectorGrowth: 0, wageGrowth: 0 });
    for (const burn of [200_000, 50_000, 0, -40_000]) {
      const { company } = readCompanyBase({ ...FULL, burn, debt: 0 });
      const input = {
        levers: defaultLevers(company),
        parameters,
        turn: 1,
        turnUnit: 'quarter',
      } as const;
      const burnRates = Array.from({ length: 40 }, (_, seed) =>
        Number(playTurn(openState(company), { ...input, seed }).companyState['burn']),
      );
      const mean = burnRates.reduce((sum, sample) => sum + sample, 0) / burnRates.length;

      expect(Math.abs(mean - burn)).toBeLessThan(15_000);
    }
  });

  it('returns balanced accounts', () => {
    for (const base of [FULL, { ...FULL, cash: 0, debt: 9_000_000 }, {}, { revenue: 3.5 }]) {
      const { company } = readCompanyBase(base);

      expect(assetsOf(company)).toBeCloseTo(liabilitiesOf(company) + equityOf(company), 6);
      expect(company.equityPaid).toBeGreaterThanOrEqual(0);
    }
  });

  it('lists its assumptions', () => {
    const { company, assumptions } = readCompanyBase({});

    expect(company).toMatchObject({ sector: 'services', employees: 7, revenue: 1_050_000 });
    expect(assumptions).toHaveLength(8);
    expect(assumptions[0]).toMatch(/^No sector is given/);
    expect(readCompanyBase({}).assumptions).toEqual(assumptions);
  });

  it.each<[JsonObject, string]>([
    [{ revenue: 100 }, '1 employee is taken, as usual for the revenue.'],
    [{ revenue: 3_000_000 }, '20 employees are taken, as usual for the revenue.'],
    [{ employees: 1 }, 'Revenue is taken as 150,000 a year, as usual for 1 employee.'],
    [{ employees: 2_000 }, 'Revenue is taken as 300,000,000 a year, as usual for 2,000 employees.'],
  ])('uses singular and plural correctly: %j', (base, sentence) => {
    expect(readCompanyBase(base).assumptions).toContain(sentence);
  });

  it.each<[string, JsonObject]>([
    ['the usual wage', { revenue: 5_000_000, sector: 'saas' }],
    [
      'the wage that explains the burn',
      { revenue: 3_200_000, employees: 28, burn: 70_000, sector: 'saas' },
    ],
    ['a wage in another currency', { revenue: 5e9, employees: 40 }],
  ])('states the cost of an employee once: %s', (_, base) => {
    const costSentences = readCompanyBase(base).assumptions.filter((burn) =>
      burn.includes('cost '),
    );
    expect(costSentences).toHaveLength(1);
  });

  it('returns unknown members unchanged', () => {
    const own: JsonObject = JSON.parse(
      '{"mood":"good","plan":{"a":[1]},"ebitda":5,"__proto__":{"x":1}}',
    );
    const { unknown } = readCompanyBase({ ...FULL, ...own });

    expect(JSON.stringify(unknown)).toBe(JSON.stringify(own));
    expect(Object.getPrototypeOf(unknown)).toBe(Object.prototype);
  });

  it.each<[string, JsonObject, string]>([
    ['a string for a number', { revenue: '5000000' }, 'revenue'],
    ['a unit', { revenue: '5M' }, 'revenue'],
    ['null', { cash: null }, 'cash'],
    ['a list', { employees: [3] }, 'employees'],
    ['no employees', { employees: 0 }, 'employees'],
    ['a negative number of employees', { employees: -3 }, 'employees'],
    ['an amount above the limit', { revenue: 1e308 }, 'revenue'],
    ['a synonym above the limit', { revenue: 1, headcount: 1e308 }, 'headcount'],
    ['revenue below zero', { revenue: -1 }, 'revenue'],
    ['a market smaller than the company', { revenue: 100, marketSize: 50 }, 'marketSize'],
    ['wages that contradict the burn', { ...FULL, wage: 900_000 }, 'burn'],
    ['a net cash inflow above the revenue', { revenue: 1e6, burn: -1e6, employees: 10 }, 'burn'],
    ['a sector that is not a string', { sector: 7 }, 'sector'],
    ['a churn above 100 percent', { churnPct: 900 }, 'churnPct'],
  ])('rejects %s, and names the member', (_, base, key) => {
    expect(refusalOf(base)).toEqual({ reason: 'INVALID_REQUEST', param: `companyBase.${key}` });
  });

  it('lists every invalid member in one error', () => {
    const base = { revenue: '5M', headcount: -3, cash: null, sector: 7, mood: 'x', debt: 1e308 };
    const invalid = errorsOf(() => readCompanyBase(base));

    expect(invalid.map(({ path }) => path)).toEqual(
      ['revenue', 'headcount', 'cash', 'sector', 'debt'].map((key) => `companyBase.${key}`),
    );
    expect(invalid[1]!.message).toBe('must be from 1 to 10000000');
    expect(errorsOf(() => readCompanyBase({ revenue: 100, marketSize: 50 }))).toEqual([
      { path: 'companyBase.marketSize', message: 'must be greater than the revenue' },
    ]);
  });

  it.each<[string, JsonObject, RegExp]>([
    ['no revenue yet', { revenue: 0, employees: 5 }, /^Revenue 0 is read as just before/],
    ['a negative burn', { ...FULL, burn: -5_000 }, /of net cash in a month/],
    [
      'a small burn',
      { ...FULL, burn: 9_000 },
      /^Other costs are taken as lower .* explains the burn/,
    ],
    ['half an employee', { ...FULL, employees: 12.5 }, /12.5 employees are read as 13/],
    ['an unknown sector', { ...FULL, sector: 'alchemy' }, /"alchemy" is not known/],
    [
      'revenue in millions',
      { revenue: 5, employees: 40, sector: 'saas' },
      /its currency or unit is another/,
    ],
    ['a price that contradicts the customers', { ...FULL, price: 7 }, /not the price given/],
    [
      'a share that contradicts the market size',
      { ...FULL, marketShare: 0.5 },
      /not the share given/,
    ],
  ])('corrects %s, and lists the correction', (_, base, sentence) => {
    const { company, assumptions } = readCompanyBase(base);

    expect(assumptions.some((burn) => sentence.test(burn))).toBe(true);
    const { parameters } = readParameters({});
    const input = { levers: defaultLevers(company), parameters, seed: 1, turn: 1 } as const;
    expect(playTurn(openState(company), { ...input, turnUnit: 'year' }).state.quarter).toBe(4);
  });

  it.each([
    ['B2B SaaS', 'saas'],
    ['E-Commerce', 'retail'],
    ['industrial machinery', 'manufacturing'],
    ['Consulting', 'services'],
  ])('finds the sector of "%s"', (sector, expected) => {
    expect(readCompanyBase({ ...FULL, sector }).company.sector).toBe(expected);
  });

  it('returns a company without revenue that grows into its market', () => {
    const base = { revenue: 0, employees: 10, sector: 'saas', cash: 8_000_000 };
    let state = openState(readCompanyBase(base).company);
    const { parameters } = readParameters({});
    for (let turn = 1; turn <= 8; turn += 1) {
      const input = { levers: defaultLevers(state.company), parameters, seed: 2, turn };
      state = playTurn(state, { ...input, turnUnit: 'quarter' }).state;
    }

    expect(state.company.revenue).toBeGreaterThan(200_000);
    expect(state.company.isInsolvent).toBe(false);
  });
});

describe('copyCompany', () => {
  it('copies every figure', () => {
    const { company } = readCompanyBase(FULL);

    expect(copyCompany(company)).toStrictEqual(company);
  });
});
