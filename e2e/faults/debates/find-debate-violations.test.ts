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
  strikes: [{ unstored: ['1 Craft'], repeats: 'exactly' }],
  stored: { counted: 3, messages: 3, events: 1 },
  answer: { status: 200, isWhole: true },
  mayMissAnswer: false,
};

const CASES: readonly (readonly [string, Partial<DebateEvidence>, string])[] = [
  ['another outcome', { outcome: 'a\nc' }, 'another outcome: c, not b'],
  ['an outcome that lacks something', { outcome: 'a' }, 'another outcome: less, not b'],
  ['a debate that never ended', { outcome: undefined }, 'it did not end'],
  [
    'a call that was kept and made again',
    { calls: [...GOOD.calls, 'frame'] },
    'frame: asked 2 times, not 1',
  ],
  [
    'a call that was lost and not made again',
    { calls: GOOD.expected.calls },
    '1 Craft: asked 1 times, not 2',
  ],
  ['a call that no debate makes', { calls: [...GOOD.calls, '9 Craft'] }, '9 Craft: asked 1 times'],
  [
    'more calls than were under way',
    {
      calls: [...GOOD.calls, '1 Craft'],
      strikes: [{ unstored: ['1 Craft'], repeats: 'at most' }],
    },
    '1 Craft: asked 3 times, not 1 to 2',
  ],
  [
    'a message that was counted twice',
    { stored: { ...GOOD.stored, counted: 4 } },
    '4 messages counted, 3 there',
  ],
  ['a surplus event', { stored: { ...GOOD.stored, events: 2 } }, '2 events'],
  ['a client that was told of an error', { answer: { status: 503, isWhole: false } }, '503'],
  ['a client that was told nothing', { answer: undefined }, 'answered nothing'],
];

describe('findDebateViolations', () => {
  it('accepts a debate without violations', () => {
    expect(findDebateViolations(GOOD)).toEqual([]);
  });

  it('accepts a call that a live process stored after all', () => {
    const strikes = [{ unstored: ['1 Craft'], repeats: 'at most' as const }];
    expect(findDebateViolations({ ...GOOD, strikes, calls: GOOD.expected.calls })).toEqual([]);
  });

  it('accepts an error for a client that had received no event', () => {
    const missed = { answer: { status: 503, isWhole: false }, mayMissAnswer: true };
    expect(findDebateViolations({ ...GOOD, ...missed })).toEqual([]);
  });

  it.each(CASES)('finds %s', (_what, change, message) => {
    expect(findDebateViolations({ ...GOOD, ...change })).toEqual([
      expect.stringContaining(message),
    ]);
  });
});
