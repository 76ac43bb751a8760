import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { repeatEvery } from './repeat-every.ts';

describe('repeatEvery', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('begins no round while one runs', async () => {
    const gate = Promise.withResolvers<void>();
    let rounds = 0;
    const work = (): Promise<void> => {
      rounds += 1;
      return gate.promise;
    };
    const repetition = repeatEvery(10, work, () => {});
    await jest.advanceTimersByTimeAsync(35);
    expect(rounds).toBe(1);
    gate.resolve();
    await jest.advanceTimersByTimeAsync(20);
    expect(rounds).toBe(3);
    await repetition.stop();
  });

  it('tells of a round that failed, and goes on', async () => {
    const told: unknown[] = [];
    let rounds = 0;
    const work = async (): Promise<void> => {
      rounds += 1;
      throw new Error(`round ${rounds}`);
    };
    const repetition = repeatEvery(10, work, (error) => told.push(error));
    await jest.advanceTimersByTimeAsync(20);
    expect(told).toEqual([new Error('round 1'), new Error('round 2')]);
    await repetition.stop();
  });

  it('waits for the running round when it is stopped, and begins no other', async () => {
    const gate = Promise.withResolvers<void>();
    let isOver = false;
    let rounds = 0;
    const work = async (): Promise<void> => {
      rounds += 1;
      await gate.promise;
      isOver = true;
    };
    const repetition = repeatEvery(10, work, () => {});
    await jest.advanceTimersByTimeAsync(10);
    const stopped = repetition.stop();
    gate.resolve();
    await stopped;
    expect(isOver).toBe(true);
    await jest.advanceTimersByTimeAsync(50);
    expect(rounds).toBe(1);
  });
});
