import { describe, expect, it } from '@jest/globals';
import { findAdvanceViolations } from './find-advance-violations.ts';
import type { AdvanceEvidence } from './find-advance-violations.ts';

const CALLS = ['Calm 1 Craft', 'Calm 1 Doubt', 'report'];
const PEACE: AdvanceEvidence = {
  expected: { outcome: 'state\nreport', calls: CALLS },
  outcome: 'state\nreport',
  isWhole: true,
  mayMissAgents: false,
  isReplayed: true,
  calls: CALLS,
  strikes: [],
  events: ['simulation.tick.completed', 'simulation.report.ready'],
  statuses: [503, 409],
};
const lost = (repeats: 'exactly' | 'at most') => ({ unstored: ['report'], repeats });

describe('findAdvanceViolations', () => {
  it.each<[string, Partial<AdvanceEvidence>]>([
    ['an advance as it is in peace', {}],
    [
      'a report that was lost and is asked for again',
      { strikes: [lost('exactly')], calls: [...CALLS, 'report'] },
    ],
    ['a call that may have been lost and was not', { strikes: [lost('at most')] }],
    [
      'another decision where agents may be absent, and are',
      { mayMissAgents: true, isWhole: false, outcome: 'other', calls: [] },
    ],
  ])('finds nothing in %s', (_, more) => {
    expect(findAdvanceViolations({ ...PEACE, ...more })).toEqual([]);
  });

  it.each<[string, Partial<AdvanceEvidence>, string]>([
    ['no turn', { outcome: undefined, statuses: [0, 0] }, 'it was not made; its client got 0, 0'],
    ['another state', { outcome: 'other\nreport' }, 'another outcome: other, not state'],
    [
      'agents that nobody kept away',
      { isWhole: false, outcome: 'x' },
      'another outcome: x, not state',
    ],
    [
      'another state, though nobody was absent',
      { mayMissAgents: true, outcome: 'x\nreport' },
      'another outcome: x, not state',
    ],
    ['less of an outcome', { outcome: 'state' }, 'another outcome: less, not report'],
    ['other hashes', { isReplayed: false }, 'its replay has other hashes'],
    ['a bill more', { calls: [...CALLS, 'report'] }, 'report: asked 2 times, not 1'],
    [
      'a call that nobody needs',
      { calls: [...CALLS, 'Bust 1 Craft'] },
      'Bust 1 Craft: asked 1 times, not 0',
    ],
    ['a loss without a repeat', { strikes: [lost('exactly')] }, 'report: asked 1 times, not 2'],
    [
      'a fact twice',
      { events: [...PEACE.events, PEACE.events[0]!] },
      `events in the outbox: ${PEACE.events.join(', ')}, ${PEACE.events[0]}`,
    ],
    ['an error that is a bug', { statuses: [500, 200] }, 'its client was answered 500'],
  ])('finds %s', (_, more, violation) => {
    expect(findAdvanceViolations({ ...PEACE, ...more })).toEqual([violation]);
  });
});
