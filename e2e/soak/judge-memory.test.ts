import { describe, expect, it } from '@jest/globals';
import { judgeMemory } from './judge-memory.ts';

const MINUTES = 30;

/** Samples every five seconds that grow by `mibPerMinute` from a minute on. */
const makeSamples = ({ from = 0, mibPerMinute = 0, swingMib = 0 }) =>
  Array.from({ length: MINUTES * 12 }, (_, index) => {
    const minute = index / 12;
    const grown = Math.max(0, minute - from) * mibPerMinute;
    const heapMib = 100 + grown + (index % 2 === 0 ? swingMib : -swingMib);
    return { second: index * 5, rssMib: 300, heapMib };
  });

describe('the judgement on memory', () => {
  it('fails what grows all the time', () => {
    const { violations, heap } = judgeMemory(makeSamples({ mibPerMinute: 3 }), MINUTES);

    expect(heap.perMinute).toBeCloseTo(3);
    expect(violations).toEqual([expect.stringContaining('heap grows')]);
  });

  it('finds growth under the swings of a heap that is collected', () => {
    const samples = makeSamples({ mibPerMinute: 3, swingMib: 10 });

    expect(judgeMemory(samples, MINUTES).violations).toHaveLength(1);
  });

  it('does not look at the first half, in which everything warms up', () => {
    const samples = makeSamples({ mibPerMinute: 0 }).map((sample) =>
      sample.second < 890 ? { ...sample, heapMib: sample.second } : sample,
    );

    expect(judgeMemory(samples, MINUTES).violations).toEqual([]);
  });

  it('states the slope of a short run and does not judge by it', () => {
    const { isJudged, heap, violations } = judgeMemory(makeSamples({ mibPerMinute: 30 }), 1);

    expect({ isJudged, violations }).toEqual({ isJudged: false, violations: [] });
    expect(heap.perMinute).toBeCloseTo(30);
  });
});
