import { describe, expect, it } from '@jest/globals';
import { createRunWithin, isTimedOut } from './create-run-within.ts';

const LIMIT_MS = 20;

describe('work that has an end', () => {
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
    throw new Error('It came to an end.');
  };

  it('answers what the work answers, and throws what it throws', () => {
    expect(createRunWithin()(LIMIT_MS, () => 7)).toBe(7);
    const fail = (): never => {
      throw new RangeError('too deep');
    };
    expect(() => createRunWithin()(LIMIT_MS, fail)).toThrow('too deep');
  });

  it('is over when it has had its time', () => {
    const { attempts, error } = runForever(LIMIT_MS);
    expect([attempts, isTimedOut(error)]).toEqual([1, true]);
  });

  it('is begun anew some times when others had its time', () => {
    const { attempts, error } = runForever(LIMIT_MS / 4);
    expect([attempts, isTimedOut(error)]).toEqual([4, true]);
  });

  it('counts the processor time of its thread', () => {
    const spin = (): void => {
      for (;;);
    };
    expect(() => createRunWithin()(LIMIT_MS, spin)).toThrow(/timed out/);
  });
});
