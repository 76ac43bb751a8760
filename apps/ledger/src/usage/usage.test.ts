import { describe, expect, it } from '@jest/globals';
import { groupUsage } from './usage.ts';
import type { UsageRow } from './usage.ts';

const row = (more: Partial<UsageRow>): UsageRow => ({
  day: '2026-01-01',
  key: 'key_1',
  agent: '',
  model: 'priced',
  provider: 'p',
  calls: 1n,
  promptTokens: 3n,
  completionTokens: 2n,
  totalTokens: 5n,
  cachedTokens: 0n,
  cacheWriteTokens: 0n,
  ...more,
});

/** Each prompt token costs 0.25 millionths of a dollar; models without a price have another name. */
const costOf = ({ model }: { model: string }, { promptTokens }: { promptTokens: bigint }) =>
  model === 'priced' ? promptTokens * 250_000n : undefined;

const ROWS = [
  row({}),
  row({ day: '2026-01-02' }),
  row({ key: 'key_2', calls: 2n, promptTokens: 6n }),
  row({ key: 'key_2', model: 'unpriced', calls: 4n }),
  row({ key: '', agent: 'ann', model: 'unpriced' }),
];

describe('groupUsage', () => {
  it('groups by the requested members, sorted, with empty texts for the others', () => {
    const { groups } = groupUsage(ROWS, ['key', 'day'], { costOf });
    expect(
      groups.map(({ day, key, agent, model, calls }) => [day, key, agent, model, calls]),
    ).toEqual([
      ['2026-01-01', '', '', '', 1n],
      ['2026-01-01', 'key_1', '', '', 1n],
      ['2026-01-01', 'key_2', '', '', 6n],
      ['2026-01-02', 'key_1', '', '', 1n],
    ]);
  });

  it('prices each group and the total, rounded once', () => {
    const { groups, total } = groupUsage(ROWS, ['key'], { costOf });
    expect(
      groups.map(({ key, costMicros, unpricedCalls }) => [key, costMicros, unpricedCalls]),
    ).toEqual([
      ['', undefined, 1n],
      ['key_1', 2n, 0n],
      ['key_2', 2n, 4n],
    ]);
    // 12 tokens cost exactly 3; the rounded sums of the groups would be 4.
    expect(total).toMatchObject({ calls: 9n, costMicros: 3n, unpricedCalls: 5n });
  });

  it('returns a total of nothing without a cost', () => {
    expect(groupUsage([], ['day'], { costOf })).toEqual({
      groups: [],
      total: expect.objectContaining({ calls: 0n, totalTokens: 0n, costMicros: undefined }),
    });
  });
});
