import { describe, expect, it } from '@jest/globals';
import { describeMarketTask } from './describe-market-task.ts';
import { DEPTHS } from './market-analysis.ts';

describe('describeMarketTask', () => {
  it.each(DEPTHS)('describes a %s analysis in fewer than 6,000 characters', (depth) => {
    expect(describeMarketTask(depth).length).toBeLessThan(6_000);
  });

  it('requests segments for comprehensive analyses only', () => {
    const depthsWithSam = DEPTHS.filter((depth) => describeMarketTask(depth).includes('"sam":'));
    expect(depthsWithSam).toEqual(['comprehensive']);
  });
});
