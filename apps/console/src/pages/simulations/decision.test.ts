import { describe, expect, it } from '@jest/globals';
import { findMoved, formatLever, readDecision } from './decision.ts';

describe('the decision of a state', () => {
  it('lists levers, proposals, limits and absent agents', () => {
    const decision = readDecision({
      levers: { priceChange: 2, unknown: 3 },
      proposals: [
        { agentName: 'Craft', confidence: 0.9, levers: { rdPct: 4 }, rationale: 'Build.' },
      ],
      clamped: [{ lever: 'rdPct', asked: 99, taken: 40, reason: 'bounds' }],
      convergenceScore: 0.75,
      absentAgents: ['Cy'],
      fallback: false,
    });
    expect(decision).toEqual({
      levers: { priceChange: 2 },
      proposals: [{ agent: 'Craft', confidence: 0.9, levers: { rdPct: 4 }, rationale: 'Build.' }],
      clamped: [{ lever: 'rdPct', asked: 99, reason: 'bounds' }],
      convergence: 0.75,
      absentAgents: ['Cy'],
      isFallback: false,
      failure: undefined,
    });
  });

  it('is empty for an object without its members', () => {
    expect(readDecision({ proposals: 'x', levers: null })).toMatchObject({
      levers: {},
      proposals: [],
      convergence: null,
    });
  });
});

describe('the levers that are moved', () => {
  it('are those of decisions and of proposals, without zeros', () => {
    const decision = readDecision({
      levers: { priceChange: 0, rdPct: 4 },
      proposals: [{ agentName: 'Craft', levers: { debtChange: -5, capexPct: 0 } }],
    });
    expect(findMoved([decision])).toEqual(['rdPct', 'debtChange']);
    expect(findMoved([])).toEqual([]);
  });
});

describe('a lever', () => {
  it.each([
    ['priceChange', 2.5, '2.5 %'],
    ['raiseEquity', 3, 'money 3'],
    ['newMarketEntry', 1, 'yes'],
    ['costProgram', undefined, ''],
  ] as const)('%s of %s is shown as "%s"', (name, value, text) => {
    expect(formatLever(name, value, (amount) => `money ${amount}`)).toBe(text);
  });
});
