import { describe, expect, it } from '@jest/globals';
import { describeMarketTask, MARKET_LINE } from './describe-market-task.ts';
import { DEPTHS } from './market-analysis.ts';

describe('describeMarketTask', () => {
  it.each(DEPTHS)('describes a %s analysis in fewer than 6,000 characters', (depth) => {
    const task = describeMarketTask(depth);
    expect(task.split('\n')[0]).toBe(MARKET_LINE);
    expect(task.length).toBeLessThan(6_000);
  });

  it('requests segments for comprehensive analyses only', () => {
    const depthsWithSam = DEPTHS.filter((depth) =>
      describeMarketTask(depth).includes('"sam": number'),
    );
    expect(depthsWithSam).toEqual(['comprehensive']);
  });
});
