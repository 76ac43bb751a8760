import { describe, expect, it } from '@jest/globals';
import { toFan, toHistory } from './series.ts';

const SCENARIOS = [
  { id: 'scn_a', forkedAtTurn: 0 },
  { id: 'scn_b', forkedAtTurn: 1 },
];
const toState = (scenarioId: string, turn: number, revenue: number) => ({
  scenarioId,
  turn,
  companyState: { revenue, cash: revenue * 2 } as never,
});
const STATES = [
  toState('scn_a', 1, 110),
  toState('scn_a', 2, 120),
  toState('scn_b', 2, 90),
  toState('scn_a', 3, 130),
];
const COMPANY_BASE = { revenue: 100, currency: 'EUR' } as never;
const SOURCE = { scenarios: SCENARIOS, states: STATES, companyBase: COMPANY_BASE };

describe('the history of a figure', () => {
  it('has a line for each scenario, with gaps where it has no state', () => {
    expect(toHistory(SOURCE, 'revenue')).toEqual({
      turns: [0, 1, 2, 3],
      lines: [
        { scenarioId: 'scn_a', values: [100, 110, 120, 130] },
        { scenarioId: 'scn_b', values: [null, null, 90, null] },
      ],
    });
  });

  it('has no turn 0 for a figure that the caller did not give', () => {
    const { turns, lines } = toHistory(SOURCE, 'cash');
    expect([turns, lines[0]!.values]).toEqual([
      [1, 2, 3],
      [220, 240, 260],
    ]);
  });

  it('begins with the first known turn if older states were not loaded', () => {
    expect(toHistory({ ...SOURCE, states: STATES.slice(1) }, 'revenue').turns).toEqual([2, 3]);
  });

  it('is empty before the first turn', () => {
    expect(toHistory({ ...SOURCE, states: [] }, 'revenue')).toEqual({
      turns: [],
      lines: [
        { scenarioId: 'scn_a', values: [] },
        { scenarioId: 'scn_b', values: [] },
      ],
    });
  });
});

describe('the fan of a forecast', () => {
  const path = (factor: number) => ({
    revenue: [130 * factor, 140 * factor],
    cash: [0, 0],
    marketShare: [0, 0],
  });
  const percentiles = { p5: path(0.5), p25: path(0.8), p50: path(1), p75: path(1.2), p95: path(2) };
  const forecast = { name: 'revenue', percentiles, currentTurn: 3 } as const;

  it('opens at the last value of the history', () => {
    const {
      turns,
      history,
      percentiles: fan,
    } = toFan(toHistory(SOURCE, 'revenue'), 'scn_a', forecast);
    expect(turns).toEqual([0, 1, 2, 3, 4, 5]);
    expect(history).toEqual([100, 110, 120, 130, null, null]);
    expect(fan.p5).toEqual([null, null, null, 130, 65, 70]);
    expect(fan.p95).toEqual([null, null, null, 130, 260, 280]);
  });

  it('begins with the forecast if there is no history', () => {
    const empty = toHistory({ ...SOURCE, states: [] }, 'revenue');
    const {
      turns,
      history,
      percentiles: fan,
    } = toFan(empty, 'scn_a', {
      ...forecast,
      currentTurn: 0,
    });
    expect([turns, history, fan.p50]).toEqual([
      [1, 2],
      [null, null],
      [130, 140],
    ]);
  });
});
