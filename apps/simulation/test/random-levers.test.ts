import { describe, expect, it } from '@jest/globals';
import { playAtRandom } from './play-at-random.ts';

// To play a million lever vectors, run: node apps/simulation/test/stress-engine.ts
describe('the engine', () => {
  it('preserves its invariants with arbitrary levers in arbitrary worlds', () => {
    const play = playAtRandom({ vectors: 20_000, seed: 1 });

    expect(play.failures).toEqual([]);
    expect(play.vectors).toBe(20_000);
    expect(play.insolvencies).toBeGreaterThan(50);
    expect(play.greatestDeviation).toBeLessThan(1e-12);
  });
});
