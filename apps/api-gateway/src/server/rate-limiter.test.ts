import { describe, expect, it } from '@jest/globals';
import { createRateLimiter, ENTRIES_MAX } from './limit-rate.ts';
import type { RateLimiter } from './limit-rate.ts';

const open = (perMinute: number) => {
  const fakes = { now: 5_000 };
  return { fakes, limiter: createRateLimiter({ perMinute, clock: () => fakes.now }) };
};

const takeAll = (limiter: RateLimiter, keyId: string): number => {
  let takenCount = 0;
  while (limiter.take(keyId).isAllowed) takenCount += 1;
  return takenCount;
};

describe('the rate limiter', () => {
  it.each([1, 2, 7, 60, 6_000, 100_000])('allows a burst of %i calls', (perMinute) => {
    expect(takeAll(open(perMinute).limiter, 'a')).toBe(perMinute);
  });

  it('returns the remaining calls and the time until one more is allowed', () => {
    const { fakes, limiter } = open(3);
    expect(limiter.take('a')).toEqual({ isAllowed: true, remaining: 2, nextInMs: 20_000 });
    fakes.now += 5_000;
    expect(limiter.take('a')).toEqual({ isAllowed: true, remaining: 1, nextInMs: 15_000 });
    expect(limiter.take('a')).toEqual({ isAllowed: true, remaining: 0, nextInMs: 15_000 });
    expect(limiter.take('a')).toEqual({ isAllowed: false, remaining: 0, nextInMs: 15_000 });
  });

  it.each([
    [1, 60_000],
    [7, 8_572],
    [60, 1_000],
    [90, 667],
    [60_000, 1],
    [100_000, 1],
  ])('with %i a minute allows the next call after %i ms and not before', (perMinute, waitMs) => {
    const { fakes, limiter } = open(perMinute);
    takeAll(limiter, 'a');
    expect(limiter.take('a').nextInMs).toBe(waitMs);
    fakes.now += waitMs - 1;
    expect(limiter.take('a')).toEqual({ isAllowed: false, remaining: 0, nextInMs: 1 });
    fakes.now += 1;
    expect(limiter.take('a').isAllowed).toBe(true);
  });

  it('restores the full allowance within a minute, and no more', () => {
    const { fakes, limiter } = open(7);
    expect(takeAll(limiter, 'a')).toBe(7);
    fakes.now += 59_999;
    expect(takeAll(limiter, 'a')).toBe(6);
    fakes.now += 1;
    expect(takeAll(limiter, 'a')).toBe(1);
    fakes.now += 3_600_000;
    expect(takeAll(limiter, 'a')).toBe(7);
  });

  it('counts fractions: 7 calls a minute are 77 in ten minutes of constant calls', () => {
    const { fakes, limiter } = open(7);
    let allowed = 0;
    for (let ms = 0; ms <= 600_000; ms += 1) {
      if (limiter.take('a').isAllowed) allowed += 1;
      fakes.now += 1;
    }
    expect(allowed).toBe(7 + 10 * 7);
  });

  it('does not count a refused call', () => {
    const { fakes, limiter } = open(60);
    takeAll(limiter, 'a');
    for (let call = 0; call < 1_000; call += 1) limiter.take('a');
    fakes.now += 1_000;
    expect(limiter.take('a').isAllowed).toBe(true);
  });

  it('limits keys separately', () => {
    const { limiter } = open(2);
    takeAll(limiter, 'a');
    expect(limiter.take('a').isAllowed).toBe(false);
    expect(limiter.take('b')).toMatchObject({ isAllowed: true, remaining: 1 });
  });
});

describe('the state of the rate limiter', () => {
  it('has a key until its allowance is full', () => {
    const { fakes, limiter } = open(1);
    for (let round = 0; round < 50; round += 1) {
      limiter.take(`key${round}`);
      for (let second = 1; second < 60; second += 1) {
        fakes.now += 1_000;
        limiter.take(`other${round}.${second}`);
      }
      fakes.now += 999;
      expect(limiter.take(`key${round}`).isAllowed).toBe(false);
      fakes.now += 1;
      expect(limiter.take(`key${round}`).isAllowed).toBe(true);
      // Added, so that the iterations start at different times within a minute.
      fakes.now += 7_300;
    }
  });

  it('has no key that was not used for two minutes', () => {
    const { fakes, limiter } = open(60);
    for (let number = 0; number < 100; number += 1) limiter.take(`key${number}`);
    for (let minute = 0; minute < 2; minute += 1) {
      fakes.now += 60_000;
      limiter.take('late');
    }
    expect(limiter.size).toBe(2);
  });

  it('is bounded under constant calls of other keys', () => {
    const { fakes, limiter } = open(60);
    let maxTaken = 0;
    for (let number = 0; number < 10_000; number += 1) {
      limiter.take(`key${number}`);
      fakes.now += 100;
      maxTaken = Math.max(maxTaken, limiter.size);
    }
    expect(maxTaken).toBe(1_200);
  });

  it('evicts the keys with the oldest calls first', () => {
    const { limiter } = open(1);
    const callAll = (from: number, to: number): void => {
      for (let number = from; number < to; number += 1) limiter.take(`key${number}`);
    };
    callAll(0, ENTRIES_MAX);
    expect(limiter.size).toBe(ENTRIES_MAX);
    expect(limiter.take('key0').isAllowed).toBe(false);
    limiter.take('one more');
    expect(limiter.size).toBe(ENTRIES_MAX / 2 + 1);
    expect(limiter.take(`key${ENTRIES_MAX - 1}`).isAllowed).toBe(false);
    expect(limiter.take('key0').isAllowed).toBe(true);
  });
});
