import { describe, expect, it } from '@jest/globals';
import { readWaitSeconds } from './bundles.ts';

describe('the preference to wait for a bundle', () => {
  it.each([
    [undefined, 0],
    ['', 0],
    ['wait=7', 7],
    ['wait=20', 20],
    ['wait=3600', 20],
    ['WAIT = 5', 5],
    ['respond-async, wait=10', 10],
    ['wait=10; foo', 10],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['await=5', 0],
    ['wait=ten', 0],
  ])('%j is %d seconds', (prefer, seconds) => {
    expect(readWaitSeconds(prefer)).toBe(seconds);
  });
});
