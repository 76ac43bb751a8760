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
  ])('returns different numbers for another %s', (_, mirrored) => {
    expect(mirrored.growth).not.toBe(draw(7, 3).growth);
  });

  it('mirrors all numbers on a mirrored path', () => {
    const [quarter, mirrored] = [
      draw(7, 3, { number: 1, isMirrored: false }),
      draw(7, 3, { number: 1, isMirrored: true }),
    ];

    expect(mirrored.growth).toBeCloseTo(-quarter.growth, 9);
    expect(mirrored.company).toBeCloseTo(-quarter.company, 9);
    expect(mirrored.events[4]).toBeCloseTo(1 - quarter.events[4]!, 12);
  });

  it('returns standard normal, Laplace and uniform numbers', () => {
    const quarters = Array.from({ length: 40_000 }, (_, quarter) => draw(3, quarter));
    const meanOf = (read: (quarter: Draws) => number): number =>
      quarters.reduce((sum, quarter) => sum + read(quarter), 0) / quarters.length;

    for (const name of ['growth', 'inflation', 'rate', 'sector'] as const) {
      expect(meanOf((quarter) => quarter[name])).toBeCloseTo(0, 1);
      expect(meanOf((quarter) => quarter[name] ** 2)).toBeCloseTo(1, 1);
      expect(meanOf((quarter) => quarter[name] ** 4) / 3).toBeCloseTo(1, 1);
    }
    expect(meanOf((quarter) => quarter.growth * quarter.inflation)).toBeCloseTo(0, 1);
    expect(meanOf((quarter) => Math.abs(quarter.company))).toBeCloseTo(1, 1);
    expect(meanOf((quarter) => quarter.company ** 2) / 2).toBeCloseTo(1, 1);
    for (const index of quarters[0]!.events.keys()) {
      expect(meanOf((quarter) => quarter.events[index]!)).toBeCloseTo(0.5, 1);
      expect(meanOf((quarter) => Number(quarter.events[index]! < 0.03))).toBeCloseTo(0.03, 2);
    }
  });
});
