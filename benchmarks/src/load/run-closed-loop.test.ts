import { describe, expect, it } from '@jest/globals';
import { summarizeLoad } from './run-closed-loop.ts';

const call = (afterMs: number, latencyMs: number) => ({ afterMs, latencyMs, firstByteMs: 1 });

describe('summarizeLoad', () => {
  it('counts every call until the last one has ended', () => {
    const ended = [call(10, 10), call(500, 490), call(2_000, 1_500)];

    const result = summarizeLoad({ inFlight: 1, maxMs: 600, spreadMs: 0 }, ended, 2_000);

    expect(result).toMatchObject({ calls: 3, perSecond: 1.5, latencyMs: { max: 1_500 } });
  });

  it('excludes calls of a spread load that ended while callers started or after they stopped', () => {
    const ended = [call(199, 9), call(200, 40), call(1_000, 60), call(1_001, 9)];

    const result = summarizeLoad({ inFlight: 4, maxMs: 1_000, spreadMs: 100 }, ended, 1_050);

    expect(result.calls).toBe(4);
    expect(result.latencyMs).toEqual({ p50: 40, p95: 60, p99: 60, mean: 50, max: 60 });
    // Four callers that each make a call every 50 ms make 80 calls a second.
    expect(result.perSecond).toBeCloseTo(80);
  });
});
