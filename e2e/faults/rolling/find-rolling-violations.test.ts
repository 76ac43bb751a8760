import { describe, expect, it } from '@jest/globals';
import { findRollingViolations } from './find-rolling-violations.ts';
import type { RollingEvidence } from './find-rolling-violations.ts';

const restart = { service: 'ledger', number: 1, at: 0, code: 0, stopMs: 20, startMs: 500 };
const call = { flow: 'chat', error: '', startedAt: 0, endedAt: 40 };
const completion = { content: 'rolling call 1', outcome: 'complete', status: '200' } as const;
const evidence: RollingEvidence = {
  restarts: [restart],
  endedCalls: [call],
  completions: [completion],
  debates: 1,
  webhooks: 1,
  keyChange: { certificates: [3, 4], switchedWithoutRestart: 1 },
};

describe('findRollingViolations', () => {
  it('finds nothing if no call failed', () => {
    expect(findRollingViolations(evidence)).toEqual([]);
  });

  it.each([
    ['a process that was killed', { restarts: [{ ...restart, code: null }] }, 'ledger 1'],
    ['a call of a flow', { endedCalls: [call, { ...call, error: '503 {}' }] }, 'chat: 503'],
    [
      'a completion that broke off',
      { completions: [completion, { ...completion, outcome: 'broken' as const }] },
      'rolling call 1: broken',
    ],
    [
      'a new key that signed nothing',
      { keyChange: { certificates: [3, 0], switchedWithoutRestart: 1 } },
      '[3,0]',
    ],
    [
      'a ledger that did not take it up',
      { keyChange: { certificates: [3, 4], switchedWithoutRestart: 0 } },
      'key',
    ],
    ['a webhook too few', { webhooks: 0 }, '1 debates and 0 webhooks'],
    ['a webhook too many', { webhooks: 2 }, '1 debates and 2 webhooks'],
  ])('finds %s', (_, change, message) => {
    expect(findRollingViolations({ ...evidence, ...change })).toEqual([
      expect.stringContaining(message),
    ]);
  });

  it('requires no key rotation if other services restart', () => {
    const keyChange: RollingEvidence['keyChange'] = {
      certificates: [7, 0],
      switchedWithoutRestart: 0,
    };
    const restarts = [{ ...restart, service: 'agents' }];
    expect(findRollingViolations({ ...evidence, restarts, keyChange })).toEqual([]);
  });
});
