import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import { judgeAttempt, mayFallBack, toFailure, toSentFailure, toUnsentFailure } from './outcome.ts';
import type { FailedAttempt, FailedCall } from './outcome.ts';

const failureOf = (reason: Reason) => toFailure(new ServiceError(reason, 'no'));
const unsupported: FailedAttempt = {
  state: 'unsupported',
  failure: failureOf('INVALID_REQUEST'),
  providerMs: 0,
};
const unsent = (reason: Reason, proofId?: string): FailedAttempt => ({
  state: 'unsent',
  failure: failureOf(reason),
  ...(proofId ? { proofId } : {}),
  providerMs: 0,
});
const failed = (
  reason: Reason,
  proofId: string | undefined,
  { mayFallBack: mayTryNext = true, isOpened = false } = {},
): FailedAttempt => ({
  state: 'failed',
  failure: isOpened ? { ...failureOf(reason), isFailover: false } : failureOf(reason),
  proofId,
  mayFallBack: mayTryNext,
  providerMs: 5,
});
const earlier = (reason: Reason, proofId?: string): FailedCall => ({
  state: 'failed',
  failure: failureOf(reason),
  proofId,
  isUnsent: proofId === undefined,
});

const MIDDLE = { isLast: false, isStopped: false, announcedId: '' };
const LAST = { ...MIDDLE, isLast: true };
const STOPPED = { ...MIDDLE, isStopped: true };
const ANNOUNCED = { ...LAST, announcedId: 'pf_answer' };

type Case = readonly [
  name: string,
  before: FailedCall | undefined,
  attempt: FailedAttempt,
  position: typeof MIDDLE,
  expected: string,
];

/**
 * The expected text of each case: whether the next target is tried, the reason, the certificate,
 * and whether nothing was sent.
 */
const CASES: readonly Case[] = [
  // Cases for the decision whether the next target is tried.
  [
    'unreachable',
    undefined,
    unsent('PROVIDER_UNREACHABLE'),
    MIDDLE,
    'next PROVIDER_UNREACHABLE - unsent',
  ],
  [
    'timed out',
    undefined,
    failed('PROVIDER_TIMEOUT', 'pf_1'),
    MIDDLE,
    'next PROVIDER_TIMEOUT pf_1',
  ],
  [
    'cut',
    undefined,
    failed('PROVIDER_STREAM_CUT', 'pf_1'),
    MIDDLE,
    'next PROVIDER_STREAM_CUT pf_1',
  ],
  ['limited', undefined, failed('RATE_LIMITED', 'pf_1'), MIDDLE, 'next RATE_LIMITED pf_1'],
  [
    'invalid answer',
    undefined,
    failed('PROVIDER_INVALID_ANSWER', 'pf_1'),
    MIDDLE,
    'end PROVIDER_INVALID_ANSWER pf_1',
  ],
  [
    'credentials',
    undefined,
    failed('PROVIDER_CREDENTIALS_REFUSED', 'pf_1'),
    MIDDLE,
    'end PROVIDER_CREDENTIALS_REFUSED pf_1',
  ],
  ['masking failed', undefined, unsent('INTERNAL'), MIDDLE, 'end INTERNAL - unsent'],
  ['no ledger', undefined, unsent('LEDGER_UNAVAILABLE'), MIDDLE, 'end LEDGER_UNAVAILABLE - unsent'],
  ['no quota', undefined, unsent('INSUFFICIENT_QUOTA'), MIDDLE, 'end INSUFFICIENT_QUOTA - unsent'],
  ['unsupported first', undefined, unsupported, MIDDLE, 'end INVALID_REQUEST - unsent'],
  [
    'the last target',
    undefined,
    failed('PROVIDER_TIMEOUT', 'pf_1'),
    LAST,
    'end PROVIDER_TIMEOUT pf_1',
  ],
  [
    'a stopped call',
    undefined,
    failed('PROVIDER_TIMEOUT', 'pf_1'),
    STOPPED,
    'end PROVIDER_TIMEOUT pf_1',
  ],
  [
    'a stopped call, unsent',
    undefined,
    unsent('PROVIDER_UNREACHABLE'),
    STOPPED,
    'end PROVIDER_UNREACHABLE - unsent',
  ],
  [
    'certified as the end',
    undefined,
    failed('PROVIDER_TIMEOUT', 'pf_1', { mayFallBack: false }),
    MIDDLE,
    'end PROVIDER_TIMEOUT pf_1',
  ],
  [
    'opened',
    undefined,
    failed('PROVIDER_STREAM_CUT', 'pf_1', { isOpened: true }),
    MIDDLE,
    'end PROVIDER_STREAM_CUT pf_1',
  ],
  // Cases for the failure that is shown and the certificate that it names.
  [
    'a later failure',
    earlier('PROVIDER_UNREACHABLE', 'pf_1'),
    failed('PROVIDER_TIMEOUT', 'pf_1f1'),
    LAST,
    'end PROVIDER_TIMEOUT pf_1f1',
  ],
  [
    'a later unsent one',
    earlier('PROVIDER_TIMEOUT', 'pf_1'),
    unsent('PROVIDER_UNREACHABLE'),
    LAST,
    'end PROVIDER_UNREACHABLE pf_1',
  ],
  [
    'both unsent',
    earlier('PROVIDER_UNREACHABLE'),
    unsent('PROVIDER_UNREACHABLE'),
    LAST,
    'end PROVIDER_UNREACHABLE - unsent',
  ],
  [
    'sent after unsent',
    earlier('PROVIDER_UNREACHABLE'),
    failed('PROVIDER_TIMEOUT', 'pf_1'),
    LAST,
    'end PROVIDER_TIMEOUT pf_1',
  ],
  [
    'unsupported later',
    earlier('PROVIDER_TIMEOUT', 'pf_1'),
    unsupported,
    MIDDLE,
    'next PROVIDER_TIMEOUT pf_1',
  ],
  [
    'unsupported at last',
    earlier('PROVIDER_TIMEOUT', 'pf_1'),
    unsupported,
    LAST,
    'end PROVIDER_TIMEOUT pf_1',
  ],
  [
    'unsupported, nothing sent',
    earlier('PROVIDER_UNREACHABLE'),
    unsupported,
    LAST,
    'end PROVIDER_UNREACHABLE - unsent',
  ],
  [
    'unsupported, stopped',
    earlier('PROVIDER_TIMEOUT', 'pf_1'),
    unsupported,
    STOPPED,
    'end PROVIDER_TIMEOUT pf_1',
  ],
  [
    'a failover after 429',
    earlier('RATE_LIMITED', 'pf_1'),
    failed('PROVIDER_TIMEOUT', 'pf_1f1'),
    LAST,
    'end RATE_LIMITED pf_1',
  ],
  [
    'a failover after 429, goes on',
    earlier('RATE_LIMITED', 'pf_1'),
    failed('PROVIDER_TIMEOUT', 'pf_1f1'),
    MIDDLE,
    'next RATE_LIMITED pf_1',
  ],
  [
    'unsent after 429',
    earlier('RATE_LIMITED', 'pf_1'),
    unsent('PROVIDER_UNREACHABLE'),
    LAST,
    'end RATE_LIMITED pf_1',
  ],
  [
    'no failover after 429',
    earlier('RATE_LIMITED', 'pf_1'),
    failed('PROVIDER_INVALID_ANSWER', 'pf_1f1'),
    LAST,
    'end PROVIDER_INVALID_ANSWER pf_1f1',
  ],
  [
    'opened after 429',
    earlier('RATE_LIMITED', 'pf_1'),
    failed('PROVIDER_STREAM_CUT', 'pf_1f1', { isOpened: true }),
    LAST,
    'end PROVIDER_STREAM_CUT pf_1f1',
  ],
  [
    'the announced id after 429',
    earlier('RATE_LIMITED', 'pf_1'),
    failed('PROVIDER_TIMEOUT', 'pf_answer'),
    ANNOUNCED,
    'end RATE_LIMITED pf_answer',
  ],
  [
    'another id after 429',
    earlier('RATE_LIMITED', 'pf_1'),
    failed('PROVIDER_TIMEOUT', 'pf_1f1'),
    ANNOUNCED,
    'end RATE_LIMITED pf_1',
  ],
  [
    'no certificate after one',
    earlier('PROVIDER_TIMEOUT', 'pf_1'),
    failed('CONFLICT', undefined),
    LAST,
    'end CONFLICT pf_1',
  ],
  ['no certificate at all', undefined, failed('CONFLICT', undefined), LAST, 'end CONFLICT -'],
  [
    'an earlier try of the call',
    undefined,
    unsent('CONFLICT', 'pf_0'),
    LAST,
    'end CONFLICT pf_0 unsent',
  ],
];

describe('judgeAttempt', () => {
  it.each(CASES)('decides after: %s', (_name, before, attempt, position, expected) => {
    const { failed: call, triesNext } = judgeAttempt(before, attempt, position);
    const { reason } = call.failure.error;
    const shown = [triesNext ? 'next' : 'end', reason, call.proofId ?? '-'];
    expect([...shown, ...(call.isUnsent ? ['unsent'] : [])].join(' ')).toBe(expected);
  });
});

describe('mayFallBack', () => {
  it.each([
    [true, false, false, true],
    [true, true, false, false],
    [true, false, true, false],
    [false, false, false, false],
  ])('failover %s, last %s, stopped %s: %s', (isFailover, isLast, isStopped, expected) => {
    expect(mayFallBack({ isFailover }, { isLast, isStopped })).toBe(expected);
  });
});

describe('a failure without a reason', () => {
  const bug = new TypeError('bug');

  it('is thrown when nothing was sent', () => {
    expect(() => toUnsentFailure(bug)).toThrow(bug);
  });

  it('is an internal error when bytes were sent, because the call is certified', () => {
    const { error, isFailover } = toSentFailure(bug);
    expect([error.reason, error.cause, isFailover]).toEqual(['INTERNAL', bug, false]);
  });
});
