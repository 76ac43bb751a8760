import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { endOf, openCompany, playCompany } from '../../../test/play-company.ts';
import { hashState, defaultLevers, playTurn, readParameters, toScenarioSeed } from '../engine.ts';

const LEVERS = { priceChange: 1, marketingPct: 6, headcountChange: 2, debtChange: 50_000 };
const SEEDS = [1, 42, 2 ** 53 - 1];

describe('playTurn', () => {
  it.each(SEEDS)(
    'returns the same state for a year and for its four quarters (seed %d)',
    (seed) => {
      for (const sector of ['saas', 'retail', 'manufacturing', 'services']) {
        const start = openCompany({ sector, cash: 3_000_000 });
        const options = { levers: LEVERS, seed };
        const years = playCompany(start, { ...options, turns: 3, turnUnit: 'year' });
        const quarters = playCompany(start, { ...options, turns: 12 });

        for (const [index, year] of years.entries()) {
          expect(hashState(year.state)).toBe(hashState(quarters[index * 4 + 3]!.state));
          expect(year.state).toStrictEqual(quarters[index * 4 + 3]!.state);
        }
      }
    },
  );

  it('returns the flows of a year as the mean of its quarters’ annual rates', () => {
    const start = openCompany();
    const [year] = playCompany(start, { turnUnit: 'year' });
    const quarters = playCompany(start, { turns: 4 });
    const mean = (name: string): number =>
      quarters.reduce((sum, { companyState }) => sum + Number(companyState[name]), 0) / 4;

    for (const name of ['revenue', 'netIncome', 'burn', 'wages']) {
      expect(year!.companyState[name]).toBeCloseTo(mean(name), 1);
    }
    expect(year!.companyState['cash']).toBe(quarters[3]!.companyState['cash']);
    expect(year!.worldState['gdpGrowth']).toBeCloseTo(
      quarters.reduce((sum, { worldState }) => sum + Number(worldState['gdpGrowth']), 0) / 4,
      5,
    );
  });

  it('lists an event of two quarters of a year once', () => {
    const hazards = { 'eventHazard.recession': 1, 'eventHazard.supply_shock': 1 };
    const poor = openCompany({ sector: 'saas', burn: 100_000, cash: 100_000, creditLine: 900_000 });
    const [year] = playCompany(poor, { turnUnit: 'year', parameters: hazards });
    const codes = year!.events.map(({ code }) => code);

    expect(codes).toEqual(expect.arrayContaining(['recession', 'supply_shock', 'liquidity']));
    expect(codes).toEqual([...new Set(codes)]);
  });

  it('lets the staff of an insolvent company go, and shows no value for its owners', () => {
    const start = openCompany({ sector: 'saas', burn: 300_000, cash: 100_000, creditLine: 0 });
    const quarters = playCompany(start, { turns: 6, levers: { headcountChange: 5 } });
    const [first, ...later] = quarters.map(({ companyState }) => companyState);

    expect(first).toMatchObject({ insolvent: true, valuation: 0 });
    for (const [index, after] of later.entries()) {
      const before = quarters[index]!.companyState;
      expect(Number(after['employees'])).toBeLessThan(0.8 * Number(before['employees']));
    }
  });

  it('returns the same hash in another process, from a state that was parsed from JSON', () => {
    const options = { levers: LEVERS, seed: 42, turns: 8 };
    const ownHash = hashState(endOf(openCompany({ sector: 'retail' }), options));
    const helperPath = fileURLToPath(new URL('../../../test/play-company.ts', import.meta.url));
    const enginePath = fileURLToPath(new URL('../engine.ts', import.meta.url));
    const program = `
      import { openCompany, endOf } from ${JSON.stringify(helperPath)};
      import { hashState } from ${JSON.stringify(enginePath)};
      const start = JSON.parse(JSON.stringify(openCompany({ sector: 'retail' })));
      console.log(hashState(endOf(start, ${JSON.stringify(options)})));`;
    const nodeCommand = [process.execPath, '--input-type=module', '--eval', program] as const;
    const childHash = execFileSync(nodeCommand[0], nodeCommand.slice(1), { encoding: 'utf8' });

    expect(childHash.trim()).toBe(ownHash);
  });

  // If these hashes change, MODEL_VERSION must change, too, because stored states can be replayed
  // only by the version that computed them.
  it.each([
    ['saas', '9143d61c5222ff80ce4ddd224b7316c8eec508c709404e6126bc8a9971c0b3cf'],
    ['retail', 'e739b97bb2da615441fc8b157ef5caa6e2d51bea9e5b1deb2f11c6641cbb371f'],
    ['manufacturing', '1b8e50ebfd0202d2b1ebcf71e0786a12fb246ac74ed2abdaea01413089a39007'],
    ['services', 'a856ae070ffdcd932e7f8c7554817327d8c309b6455ac4eff1dcd2da4d396fdc'],
  ])('returns the same state on every machine: %s', (sector, expected) => {
    const options = { levers: LEVERS, seed: 7, turns: 5, turnUnit: 'year' } as const;

    expect(hashState(endOf(openCompany({ sector }), options))).toBe(expected);
  });

  it('continues from a stored state without a difference', () => {
    const start = openCompany({ sector: 'manufacturing' });
    const uninterrupted = endOf(start, { turns: 6, levers: LEVERS });
    let state = start;
    const { parameters } = readParameters({});
    for (let turn = 1; turn <= 6; turn += 1) {
      const levers = { ...defaultLevers(state.company), ...LEVERS };
      const input = { levers, parameters, seed: 1, turn, turnUnit: 'quarter' } as const;
      state = JSON.parse(JSON.stringify(playTurn(state, input).state)) as typeof state;
    }

    expect(hashState(state)).toBe(hashState(uninterrupted));
  });

  it('does not modify the given state', () => {
    const start = openCompany();
    const before = JSON.stringify(start);
    playCompany(start, { turns: 3, turnUnit: 'year' });

    expect(JSON.stringify(start)).toBe(before);
  });

  it('returns a different hash for a change of any figure', () => {
    const start = openCompany();
    const hash = hashState(start);

    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashState({ ...start, quarter: 1 })).not.toBe(hash);
    for (const name of Object.keys(start.company)) {
      const company = { ...start.company, [name]: 12_345.5 };
      expect(hashState({ ...start, company })).not.toBe(hash);
    }
  });

  it('returns at most two events per quarter, with their impact', () => {
    const hazards = { eventHazard: { recession: 1, price_war: 1, cyber_incident: 1 } };
    const [first, second] = playCompany(openCompany(), { turns: 2, parameters: hazards });

    expect(first!.events).toEqual([
      {
        label: 'Recession',
        code: 'recession',
        impact: expect.stringMatching(/^(low|medium|high)$/),
        effect: { gdpGrowth: -4 },
        duration: 2,
      },
      expect.objectContaining({ code: 'price_war', duration: 4 }),
    ]);
    expect(second!.events).toEqual([expect.objectContaining({ code: 'cyber_incident' })]);
    expect(second!.worldState['runningEvents']).toEqual({ price_war: 2, cyber_incident: 1 });
  });

  it('returns an event when credit is drawn and when the company is insolvent', () => {
    const poorCompany = openCompany({
      sector: 'saas',
      burn: 200_000,
      cash: 500_000,
      creditLine: 300_000,
    });
    const events = playCompany(poorCompany, { turns: 6 }).map((turn) =>
      turn.events.map(({ code }) => code),
    );

    expect(events[0]).toContain('liquidity');
    expect(events.flat().filter((code) => code === 'insolvency')).toHaveLength(1);
  });
});

describe('toScenarioSeed', () => {
  it('returns the same seed for all scenarios without independent random numbers', () => {
    const common = readParameters({}).parameters;
    const own = readParameters({ rng: 'independent' }).parameters;
    const seeds = [toScenarioSeed(5, 'scn_a', own), toScenarioSeed(5, 'scn_b', own)];

    expect(toScenarioSeed(5, 'scn_a', common)).toBe(5);
    expect(new Set([5, ...seeds]).size).toBe(3);
    for (const seed of seeds) expect(Number.isSafeInteger(seed) && seed >= 0).toBe(true);
  });
});
