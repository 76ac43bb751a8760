import { describe, expect, it } from '@jest/globals';
import { playReported } from '../../test/play-report.ts';
import type { ReportPlay } from '../../test/play-report.ts';
import { compareScenarios } from './compare-scenarios.ts';

const REPORT_PLAY: ReportPlay = {
  companyBase: { sector: 'retail', revenue: 12_000_000, cash: 900_000 },
  seed: 42,
  turns: 8,
  scenarios: [{ name: 'Base' }, { name: 'Boom', parameters: { gdpGrowth: 6 } }],
  council: () => ({ marketingPct: 3 }),
};
const compare = (change: Partial<ReportPlay>) => {
  const { simulation, histories } = playReported({ ...REPORT_PLAY, ...change });
  return compareScenarios(simulation, histories)!;
};
const findWorth = (comparison: ReturnType<typeof compare>, scenarioName: string): number =>
  comparison.ranked.find(({ name }) => name === scenarioName)!.worth;

describe('compareScenarios', () => {
  it('compares paused scenarios after the time that they have played', () => {
    const paused = compare({
      scenarios: [REPORT_PLAY.scenarios[0]!, { name: 'Boom', paused: [5, 6] }],
    });
    expect(paused).toMatchObject({ turns: 6, isEqual: false, omitted: [] });
    // Here "Boom" has no parameters, so after its six turns it equals "Base" after six turns.
    expect(findWorth(paused, 'Boom')).toBeCloseTo(findWorth(paused, 'Base'), 0);
  });

  it('compares scenarios of equal length at their ends', () => {
    expect(compare({})).toMatchObject({ turns: 8, isEqual: true });
    expect(compare({}).ranked.map(({ name }) => name)).toEqual(['Boom', 'Base']);
  });

  it('omits scenarios that began after others had ended', () => {
    const scenarios = [
      { name: 'Base' },
      { name: 'Gone', paused: [3, 4, 5, 6, 7, 8] },
      { name: 'Late', from: 4 },
    ];
    const { ranked, omitted, turns } = compare({ scenarios });
    expect([turns, omitted, ranked.length]).toEqual([2, ['Late'], 2]);
  });

  it('does not count new equity as worth', () => {
    const council: ReportPlay['council'] = (turn, scenario) => ({
      marketingPct: 3,
      raiseEquity: turn === 5 && scenario === 'Funded' ? 2_000_000 : 0,
    });
    const compared = compare({ scenarios: [{ name: 'Base' }, { name: 'Funded' }], council });
    expect(findWorth(compared, 'Funded')).toBeCloseTo(findWorth(compared, 'Base'), 0);
  });

  it('does not count inflation as worth', () => {
    const scenarios = [{ name: 'Base', parameters: { inflationRate: 0 } }, { name: 'Dear' }];
    const expensive = { ...scenarios[1]!, parameters: { inflationRate: 20 } };
    const compared = compare({ scenarios: [scenarios[0]!, expensive] });
    const ratio = findWorth(compared, 'Dear') / findWorth(compared, 'Base');
    expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
  });

  it('returns undefined for a single scenario', () => {
    expect(compare({ scenarios: [{ name: 'Base' }] })).toBeUndefined();
  });
});
