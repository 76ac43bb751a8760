import { describe, expect, it } from '@jest/globals';
import { findInterruptedCalls, toGracefulStop } from './bench.ts';
import type { FaultProvider } from './open-provider.ts';
import type { CallRecord } from './run-call.ts';

const AT = 1_000;

const call = (content: string, rest: Partial<CallRecord>): CallRecord => ({
  content,
  body: '',
  dialect: 'responses',
  isStreamed: false,
  startedAt: AT - 50,
  endedAt: AT + 1,
  outcome: 'refused',
  status: '503 overloaded',
  proofId: undefined,
  answer: undefined,
  ...rest,
});

describe('a graceful stop', () => {
  it('may break no call that was in flight for long, or that the provider had received', () => {
    const received = ['broken', 'complete', 'ended'].map((content) => ({ content, sha256: '' }));
    const provider = { received: () => received } as unknown as FaultProvider;
    const stop = toGracefulStop(AT, provider);
    received.push({ content: 'received later', sha256: '' });
    const calls = [
      call('broken', {}),
      call('complete', { outcome: 'complete' }),
      call('ended', { endedAt: AT }),
      call('received later', {}),
      call('long in flight', { startedAt: 0 }),
    ];
    expect(findInterruptedCalls(calls, [stop])).toEqual([
      'broken: in flight at SIGTERM, ended refused 503 overloaded',
      'long in flight: in flight at SIGTERM, ended refused 503 overloaded',
    ]);
  });
});
