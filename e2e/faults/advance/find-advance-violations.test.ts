import { describe, expect, it } from '@jest/globals';
import { findAdvanceViolations } from './find-advance-violations.ts';
import type { AdvanceEvidence } from './find-advance-violations.ts';

const CALLS = ['Calm 1 Craft', 'Calm 1 Doubt', 'report'];
const GOOD: AdvanceEvidence = {
  expected: { outcome: 'state\nreport', calls: CALLS },
  outcome: 'state\nreport',
  hasAllAgents: true,
  mayMissAgents: false,
  isReplayEqual: true,
  calls: CALLS,
  injectedFaults: [],
  events: ['simulation.tick.completed', 'simulation.report.ready'],
  statuses: [503, 409],
};
const makeLostReport = (repeats: 'exactly' | 'at most') => ({ unstoredCalls: ['report'], repeats });

describe('findAdvanceViolations', () => {
  it.each<[string, Partial<AdvanceEvidence>]>([
    ['an advance without faults', {}],
    [
      'a report call that was lost and repeated',
      { injectedFaults: [makeLostReport('exactly')], calls: [...CALLS, 'report'] },
    ],
    ['a call that may have been lost but was not', { injectedFaults: [makeLostReport('at most')] }],
    [
      'another decision if agents may be absent and are',
      { mayMissAgents: true, hasAllAgents: false, outcome: 'other', calls: [] },
    ],
  ])('finds nothing in %s', (_, change) => {
    expect(findAdvanceViolations({ ...GOOD, ...change })).toEqual([]);
  });

  it.each<[string, Partial<AdvanceEvidence>, string]>([
    [
      'no turn',
      { outcome: undefined, statuses: [0, 0] },
      'the turn was not made; the client received 0, 0',
    ],
    ['another state', { outcome: 'other\nreport' }, 'another outcome: other, not state'],
    [
      'absent agents without a fault',
      { hasAllAgents: false, outcome: 'x' },
      'another outcome: x, not state',
    ],
    [
      'another state although no agent was absent',
      { mayMissAgents: true, outcome: 'x\nreport' },
      'another outcome: x, not state',
    ],
    ['an incomplete outcome', { outcome: 'state' }, 'another outcome: nothing, not report'],
    ['a replay with different hashes', { isReplayEqual: false }, 'the replay has different hashes'],
    ['an extra call', { calls: [...CALLS, 'report'] }, 'report: made 2 times, not 1'],
    ['an unknown call', { calls: [...CALLS, 'Bust 1 Craft'] }, 'Bust 1 Craft: made 1 times, not 0'],
    [
      'a lost call that was not repeated',
      { injectedFaults: [makeLostReport('exactly')] },
      'report: made 1 times, not 2',
    ],
    [
      'a duplicate event',
      { events: [...GOOD.events, GOOD.events[0]!] },
      `events in the outbox: ${GOOD.events.join(', ')}, ${GOOD.events[0]}`,
    ],
    ['a 500 response', { statuses: [500, 200] }, 'the client received 500'],
  ])('finds %s', (_, change, violation) => {
    expect(findAdvanceViolations({ ...GOOD, ...change })).toEqual([violation]);
  });
});
