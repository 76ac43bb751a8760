import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { repeatEvery } from './repeat-every.ts';

describe('repeatEvery', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('does not run concurrently', async () => {
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const work = (): Promise<void> => {
      runs += 1;
      return gate.promise;
    };
    const repetition = repeatEvery(10, work, () => {});
    await jest.advanceTimersByTimeAsync(35);
    expect(runs).toBe(1);
    gate.resolve();
    await jest.advanceTimersByTimeAsync(20);
    expect(runs).toBe(3);
    await repetition.stop();
  });

  it('reports a failed run and continues', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const work = async (): Promise<void> => {
      runs += 1;
      throw new Error(`round ${runs}`);
    };
    const repetition = repeatEvery(10, work, (error) => errors.push(error));
    await jest.advanceTimersByTimeAsync(20);
    expect(errors).toEqual([new Error('round 1'), new Error('round 2')]);
    await repetition.stop();
  });

  it('waits for the current run when it is stopped, and starts no other', async () => {
    const gate = Promise.withResolvers<void>();
    let hasEnded = false;
    let runs = 0;
    const work = async (): Promise<void> => {
      runs += 1;
      await gate.promise;
      hasEnded = true;
    };
    const repetition = repeatEvery(10, work, () => {});
    await jest.advanceTimersByTimeAsync(10);
    const stopped = repetition.stop();
    gate.resolve();
    await stopped;
    expect(hasEnded).toBe(true);
    await jest.advanceTimersByTimeAsync(50);
    expect(runs).toBe(1);
  });
});
