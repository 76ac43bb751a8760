import { describe, expect, it } from '@jest/globals';
import { createRunWithin, isTimedOut } from './create-run-within.ts';

const LIMIT_MS = 20;

describe('createRunWithin', () => {
  const runForever = (cpuMsPerAttempt: number): { attempts: number; error: unknown } => {
    let [attempts, cpuMs] = [0, 0];
    const work = (): void => {
      attempts += 1;
      cpuMs += cpuMsPerAttempt;
      for (;;);
    };
    try {
      createRunWithin(() => cpuMs)(LIMIT_MS, work);
    } catch (error) {
      return { attempts, error };
    }
    throw new Error('The work ended without a timeout.');
  };

  it('returns the result of the work and rethrows its errors', () => {
    expect(createRunWithin()(LIMIT_MS, () => 7)).toBe(7);
    const throwError = (): never => {
      throw new RangeError('too deep');
    };
    expect(() => createRunWithin()(LIMIT_MS, throwError)).toThrow('too deep');
  });

  it('stops work that used its CPU time', () => {
    const { attempts, error } = runForever(LIMIT_MS);
    expect([attempts, isTimedOut(error)]).toEqual([1, true]);
  });

  it('restarts work a few times if it got too little CPU time', () => {
    const { attempts, error } = runForever(LIMIT_MS / 4);
    expect([attempts, isTimedOut(error)]).toEqual([4, true]);
  });

  it('measures the CPU time of its own thread', () => {
    const burnCpuTime = (): void => {
      for (;;);
    };
    expect(() => createRunWithin()(LIMIT_MS, burnCpuTime)).toThrow(/timed out/);
  });
});
