import { describe, expect, it } from '@jest/globals';
import { describeMarketTask, MARKET_LINE } from './describe-market-task.ts';
import { DEPTHS } from './market-analysis.ts';

describe('describeMarketTask', () => {
  it.each(DEPTHS)('asks for a %s analysis in fewer words than a harness has', (depth) => {
    const task = describeMarketTask(depth);
    expect(task.split('\n')[0]).toBe(MARKET_LINE);
    expect(task.length).toBeLessThan(6_000);
  });

  it('requests segments where they are compared', () => {
    const asking = DEPTHS.filter((depth) => describeMarketTask(depth).includes('"sam": number'));
    expect(asking).toEqual(['comprehensive']);
  });
});
