import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { watchTimers } from '@witan/testing';
import { withHeartbeats } from './stream-events.ts';

const EVERY_MS = 10_000;

const openItems = () => {
  const pending: PromiseWithResolvers<number>[] = [];
  let endedCount = 0;
  async function* items(): AsyncGenerator<number> {
    try {
      for (;;) {
        const item = Promise.withResolvers<number>();
        pending.push(item);
        yield await item.promise;
      }
    } finally {
      endedCount += 1;
    }
  }
  return {
    items: withHeartbeats(items(), EVERY_MS),
    requestCount: () => pending.length,
    ended: () => endedCount,
    give: (value: number) => pending.at(-1)!.resolve(value),
    fail: (error: Error) => pending.at(-1)!.reject(error),
  };
};

describe('withHeartbeats', () => {
  let timers: ReturnType<typeof watchTimers>;
  beforeEach(() => {
    jest.useFakeTimers();
    timers = watchTimers(EVERY_MS);
  });
  afterEach(() => {
    timers[Symbol.dispose]();
    jest.useRealTimers();
  });

  it('yields items without heartbeats while they arrive, and leaves no timer', async () => {
    const { items, give, requestCount } = openItems();
    for (const value of [1, 2]) {
      const next = items.next();
      await jest.advanceTimersByTimeAsync(EVERY_MS - 1);
      give(value);
      expect(await next).toEqual({ value, done: false });
    }
    expect(requestCount()).toBe(2);
    expect(timers.pendingCount()).toBe(0);
  });

  it('yields heartbeats during silence and loses no item', async () => {
    const { items, give, requestCount } = openItems();
    for (const _heartbeat of [1, 2]) {
      const next = items.next();
      await jest.advanceTimersByTimeAsync(EVERY_MS);
      expect(await next).toEqual({ value: undefined, done: false });
    }
    const next = items.next();
    give(7);
    expect(await next).toEqual({ value: 7, done: false });
    expect(requestCount()).toBe(1);
  });

  it('rejects if the source rejects', async () => {
    const { items, fail } = openItems();
    const next = items.next();
    await jest.advanceTimersByTimeAsync(0);
    fail(new Error('cut'));
    await expect(next).rejects.toThrow('cut');
    expect(timers.pendingCount()).toBe(0);
  });

  it('closes the source when its reader stops', async () => {
    const { items, give, ended: endedCount } = openItems();
    const next = items.next();
    await jest.advanceTimersByTimeAsync(0);
    give(1);
    await next;
    await items.return(undefined);
    expect(endedCount()).toBe(1);
  });
});
