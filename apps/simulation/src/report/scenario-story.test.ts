import { describe, expect, it } from '@jest/globals';
import { playReported } from '../../test/play-report.ts';
import type { ReportPlay } from '../../test/play-report.ts';
import { toStory } from './scenario-story.ts';
import { findKeyDecisions } from './key-decisions.ts';

const REPORT_PLAY: ReportPlay = {
  companyBase: { sector: 'retail', revenue: 12_000_000, cash: 900_000 },
  seed: 42,
  turns: 8,
  scenarios: [{ name: 'Base' }],
  council: () => ({ marketingPct: 3 }),
};
const storyOf = (change: Partial<ReportPlay>) => {
  const { simulation, histories } = playReported({ ...REPORT_PLAY, ...change });
  return toStory(simulation, histories.at(-1)!, undefined);
};

describe('toStory', () => {
  it('includes the start in the lowest value', () => {
    const { cash } = storyOf({});
    expect(cash.end).toBeGreaterThan(cash.start);
    expect(cash.lowest).toEqual({ value: 900_000, turn: 0 });
  });

  it('returns the turn of the lowest value', () => {
    const { cash } = storyOf({
      companyBase: { ...REPORT_PLAY.companyBase, burn: 60_000 },
      turns: 3,
    });
    expect(cash.lowest).toEqual({ value: cash.end, turn: 3 });
  });

  it('returns paused turns and the first turn', () => {
    const paused = { name: 'Boom', paused: [5, 6] };
    expect(storyOf({ scenarios: [{ name: 'Base' }, paused] })).toMatchObject({
      ...{ turns: 6, pausedTurns: [5, 6], joinedTurn: undefined },
    });
    expect(storyOf({ scenarios: [{ name: 'Base' }, { name: 'Late', from: 3 }] })).toMatchObject({
      ...{ turns: 5, pausedTurns: [], joinedTurn: 4 },
    });
  });

  it('separates revenue from inflation', () => {
    const { revenue, realRevenue, inflation } = storyOf({
      scenarios: [{ name: 'Dear', parameters: { inflationRate: 12 } }],
    });
    expect(inflation.yearly).toBeCloseTo(12.55, 1);
    expect(realRevenue).toBeCloseTo(revenue.end / (1 + inflation.whole / 100), 0);
  });

  it('returns the cause of the change of revenue', () => {
    const { cause, shareCause } = storyOf({
      companyBase: { ...REPORT_PLAY.companyBase, cash: 9_000_000 },
      scenarios: [{ name: 'Thrift', parameters: { inflationRate: 0, sectorGrowth: 0 } }],
      council: () => ({ marketingPct: 0 }),
    });
    expect(cause).toMatchObject({ driver: 'share' });
    expect(shareCause).toEqual({ driver: 'brand', isUp: false });
  });

  it('reports new equity separately', () => {
    const council: ReportPlay['council'] = (turn) => ({ raiseEquity: turn === 5 ? 1e6 : 0 });
    const { amount, turns } = storyOf({ council }).equity;
    expect([Math.round(amount), turns]).toEqual([1_000_000, [5]]);
  });
});

describe('findKeyDecisions', () => {
  const council: ReportPlay['council'] = (turn) => ({
    marketingPct: turn % 2 === 0 ? 4 : 2,
    raiseEquity: turn === 5 ? 3e6 : 0,
  });
  const scenarios = ['Base', 'Boom', 'Shock'].map((name, index) => ({
    name,
    parameters: { gdpGrowth: 2 * index },
  }));
  const decisionsOf = (change: Partial<ReportPlay>) => {
    const { simulation, histories } = playReported({
      ...REPORT_PLAY,
      council,
      scenarios,
      ...change,
    });
    return findKeyDecisions(simulation, histories);
  };

  it('returns four decisions, spread over turns and scenarios', () => {
    const found = decisionsOf({});
    const quarters = new Set(found.map(({ turn }) => Math.ceil(turn / 2)));
    expect([found.length, quarters.size]).toEqual([4, 4]);
    expect(new Set(found.map(({ scenario }) => scenario)).size).toBe(3);
  });

  it('never ranks raised money as a gain', () => {
    expect(decisionsOf({}).map(({ lever }) => lever)).not.toContain('raiseEquity');
  });

  it('supports a single turn', () => {
    const all: ReportPlay['council'] = () => ({
      ...{ marketingPct: 6, headcountChange: 10, priceChange: 4, rdPct: 4, capexPct: 9 },
    });
    const found = decisionsOf({ turns: 1, council: all, scenarios: [{ name: 'Base' }] });
    expect(found.length).toBeGreaterThan(2);
    expect(found.length).toBeLessThan(5);
  });
});
