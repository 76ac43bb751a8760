import { describe, expect, it } from '@jest/globals';
import { createDraws, drawQuarter, toRandomSource } from './draw-quarter.ts';
import type { Draws, Path } from './draw-quarter.ts';

const draw = (seed: number, quarter: number, path?: Path): Draws => {
  const draws = createDraws();
  drawQuarter(draws, toRandomSource(seed, path), quarter);
  return draws;
};

describe('drawQuarter', () => {
  it('returns the same numbers for a quarter in any order of quarters', () => {
    const draws = createDraws();
    drawQuarter(draws, toRandomSource(5), 9);
    drawQuarter(draws, toRandomSource(7), 3);

    expect(draws).toEqual(draw(7, 3));
  });

  it.each([
    ['seed', draw(8, 3)],
    ['seed beyond 32 bits', draw(7 + 2 ** 32, 3)],
    ['quarter', draw(7, 4)],
    ['path', draw(7, 3, { number: 1, isMirrored: false })],
  ])('returns different numbers for another %s', (_, other) => {
    expect(other.growth).not.toBe(draw(7, 3).growth);
  });

  it('mirrors all numbers on a mirrored path', () => {
    const [one, other] = [
      draw(7, 3, { number: 1, isMirrored: false }),
      draw(7, 3, { number: 1, isMirrored: true }),
    ];

    expect(other.growth).toBeCloseTo(-one.growth, 9);
    expect(other.company).toBeCloseTo(-one.company, 9);
    expect(other.events[4]).toBeCloseTo(1 - one.events[4]!, 12);
  });

  it('returns standard normal, Laplace and uniform numbers', () => {
    const quarters = Array.from({ length: 40_000 }, (_, quarter) => draw(3, quarter));
    const meanOf = (read: (one: Draws) => number): number =>
      quarters.reduce((sum, one) => sum + read(one), 0) / quarters.length;

    for (const name of ['growth', 'inflation', 'rate', 'sector'] as const) {
      expect(meanOf((one) => one[name])).toBeCloseTo(0, 1);
      expect(meanOf((one) => one[name] ** 2)).toBeCloseTo(1, 1);
      expect(meanOf((one) => one[name] ** 4) / 3).toBeCloseTo(1, 1);
    }
    expect(meanOf((one) => one.growth * one.inflation)).toBeCloseTo(0, 1);
    expect(meanOf((one) => Math.abs(one.company))).toBeCloseTo(1, 1);
    expect(meanOf((one) => one.company ** 2) / 2).toBeCloseTo(1, 1);
    for (const at of quarters[0]!.events.keys()) {
      expect(meanOf((one) => one.events[at]!)).toBeCloseTo(0.5, 1);
      expect(meanOf((one) => Number(one.events[at]! < 0.03))).toBeCloseTo(0.03, 2);
    }
  });
});
