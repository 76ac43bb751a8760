import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { watchTimers } from './watch-timers.ts';

describe('watched timers', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are pending until they fire or are cleared', () => {
    using timers = watchTimers(500);
    const calls: unknown[] = [];
    const cleared = setTimeout(() => {}, 500);
    setTimeout((...args: unknown[]) => void calls.push(args), 500, 'a', 'b');
    expect(timers.pendingCount()).toBe(2);
    clearTimeout(cleared);
    expect(timers.pendingCount()).toBe(1);
    jest.advanceTimersByTime(500);
    expect(timers.pendingCount()).toBe(0);
    expect(calls).toEqual([['a', 'b']]);
  });

  it('do not include timers with another delay', () => {
    using timers = watchTimers(500);
    setTimeout(() => {}, 499);
    expect(timers.pendingCount()).toBe(0);
  });

  it('leave the timers of the process as they were', () => {
    const before = [setTimeout, clearTimeout];
    {
      using _timers = watchTimers(500);
      expect([setTimeout, clearTimeout]).not.toEqual(before);
    }
    expect([setTimeout, clearTimeout]).toEqual(before);
  });
});
