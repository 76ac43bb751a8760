import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { releaseStartMemory } from './release-start-memory.ts';

const MIB = 1_024 * 1_024;
const GARBAGE_MIB = 64;

/** Allocates arrays of numbers that nothing references once the function has returned. */
const makeGarbage = (): number => {
  const arrays = Array.from({ length: GARBAGE_MIB }, () => new Array(MIB / 8).fill(0.5));
  return arrays.length;
};

describe('releaseStartMemory', () => {
  it('returns the memory of garbage to the operating system', () => {
    expect(makeGarbage()).toBe(GARBAGE_MIB);
    const { heapTotal } = process.memoryUsage();
    releaseStartMemory();
    expect((heapTotal - process.memoryUsage().heapTotal) / MIB).toBeGreaterThan(GARBAGE_MIB / 2);
  });

  it('leaves no function to collect garbage in later contexts', () => {
    setFlagsFromString('--no-expose-gc');
    releaseStartMemory();
    expect(runInNewContext('typeof gc')).toBe('undefined');
  });
});
