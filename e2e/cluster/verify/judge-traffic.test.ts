import { describe, expect, it } from '@jest/globals';
import { findTrafficViolations, summarizeTraffic } from './judge-traffic.ts';
import type { TrafficCall } from './judge-traffic.ts';

/** Recorded traffic: 24 calls, of which every fourth is streamed and every sixth a chat. */
const calls: readonly TrafficCall[] = Array.from({ length: 24 }, (_, index) => ({
  kind: index % 6 === 5 ? 'chat' : index % 4 === 3 ? 'streamed' : 'completion',
  status: 200,
  error: '',
  startedAt: index * 500,
  endedAt: index * 500 + 40,
}));
const withCall = (index: number, change: Partial<TrafficCall>): TrafficCall[] =>
  calls.map((call, position) => (position === index ? { ...call, ...change } : call));

describe('findTrafficViolations', () => {
  it('finds nothing if every call succeeded', () => {
    expect(findTrafficViolations(calls)).toEqual([]);
  });

  it.each([
    ['a refused call', withCall(3, { status: 503, error: '503 unavailable' }), '503 unavailable'],
    ['a call without a response', withCall(4, { status: 0, error: 'ECONNRESET' }), 'ECONNRESET'],
    ['a cut stream with status 200', withCall(7, { error: 'broken' }), 'streamed: broken'],
    ['too few calls', calls.slice(0, 12), 'only 12 calls'],
    [
      'a load without streams',
      calls.map((call) => (call.kind === 'streamed' ? { ...call, kind: 'chat' as const } : call)),
      'no call of the kind streamed',
    ],
  ])('finds %s', (_, given, message) => {
    expect(findTrafficViolations(given)).toEqual([expect.stringContaining(message)]);
  });

  it('reports the number of failures beyond those that it describes', () => {
    const allFailed = calls.map((call) => ({ ...call, status: 503, error: '503' }));
    expect(findTrafficViolations(allFailed)).toContain('14 more failed calls');
  });
});

describe('summarizeTraffic', () => {
  it('counts calls by status and kind, and failures whatever their status', () => {
    const given = [...withCall(3, { status: 503, error: '503' }).slice(1)];
    expect(summarizeTraffic([...given, { ...calls[0]!, error: 'broken', endedAt: 900 }])).toEqual({
      calls: 24,
      failed: 2,
      kinds: { completion: 16, streamed: 4, chat: 4 },
      statuses: { 200: 23, 503: 1 },
      slowestMs: 900,
    });
  });
});
