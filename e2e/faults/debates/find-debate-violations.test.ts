import { describe, expect, it } from '@jest/globals';
import { findDebateViolations } from './find-debate-violations.ts';
import type { DebateEvidence } from './find-debate-violations.ts';

/**
 * Evidence without violations: a process was killed with one call in flight, which was repeated.
 */
const GOOD: DebateEvidence = {
  expected: { outcome: 'a\nb', calls: ['frame', '1 Craft', 'synthesis'] },
  outcome: 'a\nb',
  calls: ['frame', '1 Craft', '1 Craft', 'synthesis'],
  injectedFaults: [{ unstoredCalls: ['1 Craft'], repeats: 'exactly' }],
  stored: { messageCount: 3, messages: 3, events: 1 },
  answer: { status: 200, isComplete: true },
  mayMissAnswer: false,
};

const VIOLATION_CASES: readonly (readonly [string, Partial<DebateEvidence>, string])[] = [
  ['another outcome', { outcome: 'a\nc' }, 'another outcome: c, not b'],
  ['an incomplete outcome', { outcome: 'a' }, 'another outcome: nothing, not b'],
  ['a debate that did not end', { outcome: undefined }, 'the debate did not end'],
  [
    'a stored call that was repeated',
    { calls: [...GOOD.calls, 'frame'] },
    'frame: made 2 times, not 1',
  ],
  [
    'a lost call that was not repeated',
    { calls: GOOD.expected.calls },
    '1 Craft: made 1 times, not 2',
  ],
  ['an unknown call', { calls: [...GOOD.calls, '9 Craft'] }, '9 Craft: made 1 times'],
  [
    'more repeated calls than were in flight',
    {
      calls: [...GOOD.calls, '1 Craft'],
      injectedFaults: [{ unstoredCalls: ['1 Craft'], repeats: 'at most' }],
    },
    '1 Craft: made 3 times, not 1 to 2',
  ],
  [
    'a message that was counted twice',
    { stored: { ...GOOD.stored, messageCount: 4 } },
    '4 messages counted, 3 stored',
  ],
  ['a surplus event', { stored: { ...GOOD.stored, events: 2 } }, '2 events'],
  ['a client that received an error', { answer: { status: 503, isComplete: false } }, '503'],
  ['a client that received no response', { answer: undefined }, 'received nothing'],
];

describe('findDebateViolations', () => {
  it('accepts a debate without violations', () => {
    expect(findDebateViolations(GOOD)).toEqual([]);
  });

  it('accepts a call that a live process stored after all', () => {
    const injectedFaults = [{ unstoredCalls: ['1 Craft'], repeats: 'at most' as const }];
    expect(findDebateViolations({ ...GOOD, injectedFaults, calls: GOOD.expected.calls })).toEqual(
      [],
    );
  });

  it('accepts an error for a client that had received no event', () => {
    const missed = { answer: { status: 503, isComplete: false }, mayMissAnswer: true };
    expect(findDebateViolations({ ...GOOD, ...missed })).toEqual([]);
  });

  it.each(VIOLATION_CASES)('finds %s', (_what, change, message) => {
    expect(findDebateViolations({ ...GOOD, ...change })).toEqual([
      expect.stringContaining(message),
    ]);
  });
});
