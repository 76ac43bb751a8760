import { describe, expect, it } from '@jest/globals';
import { applyAdvanceEvent } from './advance-progress.ts';
import type { AdvanceProgress } from './advance-progress.ts';

const STARTED = {
  scenarios: [
    { id: 'scn_a', name: 'Calm' },
    { id: 'scn_b', name: 'Bust' },
  ],
};
const DECIDED = {
  scenarioId: 'scn_b',
  convergenceScore: 0.5,
  absentAgents: ['Cy'],
  fallback: false,
};
const EMPTY: AdvanceProgress = { startedAt: 1, scenarios: [] };

const after = (...events: readonly [string, unknown][]): AdvanceProgress =>
  events.reduce((progress, [event, content]) => applyAdvanceEvent(progress, event, content), EMPTY);

describe('the progress of a turn', () => {
  it('follows each scenario from its panel to its state', () => {
    const started = ['advance.started', STARTED] as const;
    expect(after([...started]).scenarios.map(({ step }) => step)).toEqual(['deciding', 'deciding']);
    const decided = ['scenario.decided', DECIDED] as [string, unknown];
    expect(after([...started], decided).scenarios[1]).toEqual({
      id: 'scn_b',
      name: 'Bust',
      step: 'computing',
      convergence: 0.5,
      absentAgents: ['Cy'],
    });
    const stepped = ['scenario.stepped', { state: { scenarioId: 'scn_b' } }] as [string, unknown];
    expect(after([...started], decided, stepped).scenarios.map(({ step }) => step)).toEqual([
      'deciding',
      'ready',
    ]);
  });

  it('has no convergence for a panel that could not decide', () => {
    const decided = { ...DECIDED, convergenceScore: 0, fallback: true };
    const { scenarios } = after(['advance.started', STARTED], ['scenario.decided', decided]);
    expect(scenarios[1]).toMatchObject({ isFallback: true, step: 'computing' });
    expect(scenarios[1]).not.toHaveProperty('convergence');
  });

  it('is not changed by an event that is not known', () => {
    expect(after(['later.event', {}])).toBe(EMPTY);
  });
});
