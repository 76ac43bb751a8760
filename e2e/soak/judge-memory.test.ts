import { describe, expect, it } from '@jest/globals';
import { judgeMemory } from './judge-memory.ts';

const MINUTES = 30;

/**
 * Returns memory samples, one every five seconds, that grow by `mibPerMinute` from minute `from` on
 * and alternate by `swingMib`.
 */
const makeSamples = ({ from = 0, mibPerMinute = 0, swingMib = 0 }) =>
  Array.from({ length: MINUTES * 12 }, (_, index) => {
    const minute = index / 12;
    const grown = Math.max(0, minute - from) * mibPerMinute;
    const heapMib = 100 + grown + (index % 2 === 0 ? swingMib : -swingMib);
    return { second: index * 5, rssMib: 300, heapMib };
  });

describe('judgeMemory', () => {
  it('fails on steady growth', () => {
    const { violations, heap } = judgeMemory(makeSamples({ mibPerMinute: 3 }), MINUTES);

    expect(heap.perMinute).toBeCloseTo(3);
    expect(violations).toEqual([expect.stringContaining('heap grows')]);
  });

  it('finds growth despite the swings of garbage collection', () => {
    const samples = makeSamples({ mibPerMinute: 3, swingMib: 10 });

    expect(judgeMemory(samples, MINUTES).violations).toHaveLength(1);
  });

  it('ignores the first half, which is warm-up', () => {
    const samples = makeSamples({ mibPerMinute: 0 }).map((sample) =>
      sample.second < 890 ? { ...sample, heapMib: sample.second } : sample,
    );

    expect(judgeMemory(samples, MINUTES).violations).toEqual([]);
  });

  it('reports the slope of a short run without a verdict', () => {
    const { isJudged, heap, violations } = judgeMemory(makeSamples({ mibPerMinute: 30 }), 1);

    expect({ isJudged, violations }).toEqual({ isJudged: false, violations: [] });
    expect(heap.perMinute).toBeCloseTo(30);
  });
});
