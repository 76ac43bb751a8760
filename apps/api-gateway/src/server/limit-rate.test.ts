import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { createLimitRate } from './limit-rate.ts';

const open = (perMinute: number) => {
  const fakes = { now: 0, refused: 0 };
  const limit = createLimitRate({
    perMinute,
    clock: () => fakes.now,
    onRefused: () => {
      fakes.refused += 1;
    },
  });
  const call = () => {
    const headers = new Map<string, string>();
    const setHeader = (name: string, value: string): unknown => headers.set(name, value);
    const seen = { policy: '', state: '', error: undefined as unknown };
    try {
      limit('key_1', { setHeader } as unknown as Response);
    } catch (error) {
      seen.error = error;
    }
    seen.policy = headers.get('ratelimit-policy')!;
    seen.state = headers.get('ratelimit')!;
    return seen;
  };
  return { fakes, call };
};

describe('the rate limit of a key', () => {
  it('sets the remaining calls and the time of the next one on each response', () => {
    const { fakes, call } = open(60);
    const policy = '"default";q=60;w=60';
    expect(call()).toEqual({ policy, state: '"default";r=59;t=1', error: undefined });
    expect(call()).toEqual({ policy, state: '"default";r=58;t=1', error: undefined });
    expect(fakes.refused).toBe(0);
  });

  it('rounds the seconds to wait up', () => {
    const { fakes, call } = open(2);
    call();
    call();
    fakes.now = 1;
    expect(call()).toEqual({
      policy: '"default";q=2;w=60',
      state: '"default";r=0;t=30',
      error: expect.objectContaining({ reason: 'RATE_LIMITED', fields: { retryAfter: '30' } }),
    });
    fakes.now = 29_999;
    expect(call().error).toMatchObject({ fields: { retryAfter: '1' } });
    expect(fakes.refused).toBe(2);
    fakes.now = 30_000;
    expect(call()).toMatchObject({ state: '"default";r=0;t=30', error: undefined });
  });

  it('never returns 0 seconds', () => {
    const { call } = open(6_000);
    expect(call().state).toBe('"default";r=5999;t=1');
  });
});
